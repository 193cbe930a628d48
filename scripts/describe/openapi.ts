/** Prints the API description (OpenAPI 3.1), generated from the routes: for clients, or with `operators` for operators. */
import { describe } from '../../src/describe.ts'

const audience = process.argv[2] === 'operators' ? 'operators' : 'clients'
console.log(JSON.stringify(await describe(audience), null, 2))
