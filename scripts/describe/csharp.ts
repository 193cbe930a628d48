/** Prints the generated files of the C# client, and of the console's C#, as JSON: the source by the path of the file. Reads the API description. */
import { describe } from '../../src/describe.ts'
import { sourcesOf } from './csharp/sources.ts'

console.log(JSON.stringify(sourcesOf(JSON.parse(JSON.stringify(await describe())))))
