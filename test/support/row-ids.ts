/** The ids of rows that a test writes itself, and the partitions that these belong to, as the service makes them. */
export { newId, partitionNumber, partitionOf } from '../../src/platform/db/id.ts'
