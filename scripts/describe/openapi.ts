/** Prints docs/openapi.json: the API description (OpenAPI 3.1) that the routes make. */
import { describe } from '../../src/app.ts'

console.log(JSON.stringify(describe(), null, 2))
