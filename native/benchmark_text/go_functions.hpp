// Logarithm, exponential and binomial coefficient of Go's library for x86-64 with FMA, equal in
// each bit. benchstat prints all digits of a mean, and chooses intervals by comparing such
// coefficients.
#pragma once

namespace stallscope::benchmark_text {

double go_log(double x);
double go_exp(double x);

// As go-moremath computes it: exact up to n = 20, above that by logarithms of factorials. 0 <= n.
double go_binomial(int n, int k);

}  // namespace stallscope::benchmark_text
