package dev.damask.examples.expense;

import java.math.BigDecimal;

/// The amount that an employee claims.
record Expense(String employee, String purpose, BigDecimal amount) {}
