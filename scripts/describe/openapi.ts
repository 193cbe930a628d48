/** Prints the API description (OpenAPI 3.1) that the routes make: of clients, or with `operators` that of operators. */
import { describe } from '../../src/describe.ts'

const audience = process.argv[2] === 'operators' ? 'operators' : 'clients'
console.log(JSON.stringify(await describe(audience), null, 2))
