package dev.damask.examples.orders;

/// What a customer has ordered.
///
/// @param price in cents
public record PlacedOrder(String item, int price) {}
