/* PRINTF_FORMAT(2, 3): the second argument of a function is a format as printf() takes it, for what follows from the
 * third on; 0: a va_list follows. */
#ifndef BASE_PRINTF_FORMAT_H
#define BASE_PRINTF_FORMAT_H

#ifdef __GNUC__
#define PRINTF_FORMAT(text, values) __attribute__((format(printf, text, values)))
#else
#define PRINTF_FORMAT(text, values)
#endif

#endif
