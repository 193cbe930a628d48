/** Prints docs/openapi.json: the API description (OpenAPI 3.1) that the routes make. */
import { describe } from '../../src/describe.ts'

console.log(JSON.stringify(await describe(), null, 2))
