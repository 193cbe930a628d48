import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Description, type Schema } from '../../scripts/pages/reference/description.ts'
import { reference } from '../../scripts/pages/reference/page.ts'
import { isObject, sampleOf } from '../../scripts/pages/reference/sample.ts'
import { project, textOf } from './citations.ts'
import { clientSources, compile, execute, missing } from './csharp.ts'
import { examplesIn } from './reference-examples.ts'

const TIMEOUT_MS = 120_000
const description = new Description('openapi.json')
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'csharp-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** The schemas of models that have other names. */
const alternatives: Record<string, string[]> = {
  AssetUrlResult: ['AssetUrl', 'AssetUrlError'],
  FileUrlResult: ['FileUrl', 'FileUrlError'],
}

const referenced = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** A schema, or each of its alternatives. */
function leavesOf(schema: Schema): Schema[] {
  const { oneOf } = description.resolved(schema)
  return oneOf ? oneOf.flatMap(leavesOf) : [schema]
}

/** An example of each model that reads or sends; members without an example are left out. */
function examplesOf(file: string, direction: 'read' | 'sent') {
  const source = textOf(`engines/unity/Runtime/Generated/${file}.cs`)
  const models = [...source.matchAll(/^ {4}public sealed class (\w+)/gm)].map(([, name = '']) => name)
  return models.flatMap((model) => {
    if (inline.includes(model)) return []
    const schemas = (alternatives[model] ?? [model]).map(referenced).flatMap(leavesOf)
    const neededByEach = schemas.map(neededBy)
    // A member of the model is needed when it is in each alternative.
    const required = neededByEach.flat().filter((name) => neededByEach.every((names) => names.includes(name)))
    return schemas.map((schema) => {
      const json = sampleOf(schema, description)
      if (!isObject(json)) throw new Error(`${model} has no example.`)
      return { model, json, required, direction }
    })
  })
}

/** The models of schemas without a name, which are in the examples of others. */
const inline = ['AssetUrlRequest', 'BatchResult']

/** The members that can be neither missing nor null. */
function neededBy(schema: Schema): string[] {
  const { required = [], properties = {} } = description.resolved(schema)
  return required.filter((name) => !isNullable(properties[name]))
}

const isNullable = (schema: Schema = {}) => [description.resolved(schema).type].flat().includes('null')

/** What the examples of the reference take from around them. */
const around = `using System;
using System.IO;
using System.Net.Http;
using System.Net.Http.Headers;
using System.Net.WebSockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;
using EdgeGameStorage;
using Newtonsoft.Json.Linq;

static class Examples
{
`

/** An example as a method. A name that two of its statements declare is that of the later one. */
function methodOf([id, text]: [string, string]): string {
  const blocks = text.split('\n\n').map((block) => `{\n${block}\n}\n`)
  return `public static async Task ${id}(GameStorage storage, HttpClient http, string token)\n{\n${blocks.join('')}await Task.Yield();\n}\n`
}

describe.skipIf(missing)('the C# client, compiled', () => {
  it('reads the example of each schema that answers have, and sends that of each that requests have', {
    timeout: TIMEOUT_MS,
  }, async () => {
    const examples = [...examplesOf('Answers', 'read'), ...examplesOf('Requests', 'sent')]
    expect(examples.length).toBeGreaterThan(80)
    const list = join(folder, 'examples.json')
    await writeFile(list, JSON.stringify(examples))
    const program = join(folder, 'round-trip.exe')
    const sources = [...clientSources(), join(project, 'test/csharp/models/RoundTrip.cs')]
    expect(await compile(sources, program)).toBe('')
    expect(await execute(program, [list])).toBe('Done.\n')
  })

  it('compiles every example of the reference', { timeout: TIMEOUT_MS }, async () => {
    const examples = [...examplesIn(reference(), 'csharp')]
    expect(examples.length).toBeGreaterThan(80)
    const file = join(folder, 'Examples.cs')
    await writeFile(file, `${around}${examples.map(methodOf).join('\n')}}\n`)
    const output = join(folder, 'examples.dll')
    expect(await compile([...clientSources(), file], output, ['-target:library', '-nowarn:219'])).toBe('')
  })
})
