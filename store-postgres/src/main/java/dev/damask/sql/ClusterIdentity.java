package dev.damask.sql;

import java.util.UUID;

/// The one row of table `cluster`, as far as it never changes while nodes are alive.
///
/// @param lockClass the first key of the cluster's advisory locks
/// @param version the version of the schema
/// @param format the version of Damask whose row formats are written
public record ClusterIdentity(UUID id, int lockClass, int version, int format) {}
