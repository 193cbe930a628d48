/** Prints what is generated from the service's own modules, as JSON: the text by the path of the file. */
import { describe, socketDescription } from '../../src/describe.ts'
import { operationsSource } from './client/operations.ts'
import { recordsSource } from './client/records.ts'
import { configurationPage } from './configuration.ts'
import { sourcesOf } from './csharp/sources.ts'
import { errorsPage } from './errors.ts'
import { eventTable } from './events.ts'

const json = (description: object) => `${JSON.stringify(description, null, 2)}\n`
const clients = await describe()

console.log(
  JSON.stringify({
    'docs/openapi.json': json(clients),
    'docs/openapi.operators.json': json(await describe('operators')),
    'docs/asyncapi.json': json(socketDescription()),
    'docs/errors.md': errorsPage,
    'docs/configuration.md': configurationPage,
    'docs/events.md': eventTable,
    'client/src/operations.ts': operationsSource(),
    'client/src/records.ts': recordsSource(),
    ...sourcesOf(JSON.parse(JSON.stringify(clients))),
  }),
)
