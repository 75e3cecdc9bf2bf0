// A program whose work is a number of steps of equal cost: the time grows in proportion to it.
#include <stdlib.h>

int main(int count, char** words) {
  volatile unsigned long sum = 0;
  const unsigned long steps = count > 1 ? strtoul(words[1], NULL, 10) : 0;
  for (unsigned long step = 0; step < steps; ++step) sum += step;
  return 0;
}
