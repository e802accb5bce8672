/* PRINTF_FORMAT(2, 3): the second argument of a function is a format as printf() takes it, for what follows from the
 * third on; 0: a va_list follows. */
#ifndef BASE_OS_PRINTF_FORMAT_H
#define BASE_OS_PRINTF_FORMAT_H

#if defined(_WIN32) && defined(__GNUC__) /* "printf" is that of Windows there, which the program does not use */
#define PRINTF_FORMAT(text, values) __attribute__((format(gnu_printf, text, values)))
#elif defined(__GNUC__)
#define PRINTF_FORMAT(text, values) __attribute__((format(printf, text, values)))
#else
#define PRINTF_FORMAT(text, values)
#endif

#endif
