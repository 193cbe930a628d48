/** Prints the generated files of the C# client as JSON: the source by the name of the file. Reads the API description. */
import { describe } from '../../src/describe.ts'
import { sourcesOf } from './csharp/sources.ts'

console.log(JSON.stringify(sourcesOf(JSON.parse(JSON.stringify(await describe())))))
