/* The program, to be called by the test. */
#define main armtap_main
int armtap_main(int argc, char **argv);
#include "../../tools/main/main.c"
