/** The generated files of the C# client. */
import { Description, type Document } from '../description.ts'
import { callsSource } from './calls.ts'
import { enumerationSource, enumerations } from './enumerations.ts'
import { errorCodesSource } from './error-codes.ts'
import { methodOf } from './methods.ts'
import { modelSource } from './model-source.ts'
import { modelsOf } from './models.ts'
import { operationsSource } from './operations.ts'
import { queryOf, querySource } from './queries.ts'
import { file } from './source.ts'

const RUNTIME = 'engines/unity/Runtime/Generated'

/** The generated files by path, made from the JSON of the description. */
export function sourcesOf(json: Document): Record<string, string> {
  const description = new Description(json)
  const named = enumerations()
  const models = modelsOf(description, named)
  models.add('Problem')
  const methods = description.operations.map((operation) =>
    methodOf(operation, queryOf(operation, models, description), models),
  )
  const sorted = [...models.all.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
  const types = ['System', 'System.Collections.Generic', 'Newtonsoft.Json.Linq']
  return {
    [`${RUNTIME}/Answers.cs`]: file(types, sorted.filter(({ isRead }) => isRead).map(modelSource)),
    [`${RUNTIME}/Requests.cs`]: file(types, sorted.filter(({ isRead }) => !isRead).map(modelSource)),
    [`${RUNTIME}/Queries.cs`]: file(
      ['System.Collections.Generic'],
      methods.flatMap(({ operation, query }) => (query.length > 0 ? [querySource(operation, query)] : [])),
    ),
    [`${RUNTIME}/Enumerations.cs`]: enumerationSource(named),
    [`${RUNTIME}/ErrorCodes.cs`]: errorCodesSource(),
    [`${RUNTIME}/Operations.cs`]: file(
      ['System', 'System.Collections.Generic', 'System.Threading', 'System.Threading.Tasks'],
      [operationsSource(methods)],
    ),
    'console/src/requests/csharp/methods.ts': callsSource(methods, sorted),
  }
}
