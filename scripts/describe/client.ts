/** Prints the generated sources of the client, by path, as JSON. */
import { operationsSource } from './client/operations.ts'
import { recordsSource } from './client/records.ts'

console.log(
  JSON.stringify({
    'client/src/operations.ts': operationsSource(),
    'client/src/records.ts': recordsSource(),
  }),
)
