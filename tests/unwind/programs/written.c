// Calls through functions whose call frame information was written by hand, in a loop without end.
#include <stdint.h>
#include <stdio.h>

typedef uint64_t work(uint64_t);
uint64_t frame_in_other_register(uint64_t, work*);
uint64_t frame_by_expression(uint64_t, work*);
uint64_t saved_by_expression(uint64_t, work*);
uint64_t saved_in_register(uint64_t, work*);
uint64_t two_ways_out(uint64_t, work*);

static volatile uint64_t sink;

__attribute__((noinline)) static uint64_t print_some(uint64_t value) {
  char text[64];
  sink += (uint64_t)snprintf(text, sizeof text, "%.3f %lx", (double)value, (unsigned long)value);
  return value + (uint64_t)text[0];
}

__attribute__((noinline)) static uint64_t outer(uint64_t value) {
  return saved_by_expression(value, print_some) + saved_in_register(value, print_some);
}

__attribute__((noinline)) static uint64_t outermost(uint64_t value) {
  return two_ways_out(value, outer) + frame_by_expression(value, outer);
}

int main(void) {
  for (uint64_t round = 0;; ++round) {
    sink += frame_in_other_register(round, outermost) + two_ways_out(round, outermost);
  }
}
