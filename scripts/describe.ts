/** npm run describe: prints the API description (OpenAPI 3.1) that the routes make, kept in docs/openapi.json. */
import { describe } from '../src/app.ts'

console.log(JSON.stringify(describe(), null, 2))
