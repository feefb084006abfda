package dev.damask.examples.orders;

/// What a customer has ordered.
///
/// @param price in cents
public record Order(String item, int price) {}
