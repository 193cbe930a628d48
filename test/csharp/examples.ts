/** The examples of the description and of the reference, for the tests of the C# client. */
import { readFileSync } from 'node:fs'
import type { Schema } from '../../scripts/describe/description.ts'
import { project } from '../../scripts/development.ts'
import { descriptionIn, reference } from '../../scripts/pages/reference/page.ts'
import { isObject, sampleOf } from '../../scripts/pages/reference/sample.ts'
import { examplesIn } from '../e2e/reference-examples.ts'

const description = descriptionIn('openapi.json')

/** The schemas of models that have other names. */
const alternatives: Record<string, string[]> = {
  AssetUpdateResult: ['AssetUpdate', 'AssetUpToDate', 'AssetUpdateError'],
  AssetUrlResult: ['AssetUrl', 'AssetUrlError'],
  FileUrlResult: ['FileUrl', 'FileUrlError'],
  DeletedNotifications: ['DeletedCount'],
  MarkedNotifications: ['MarkedCount'],
  ProfileList: ['Profiles'],
  SetVerdict: ['Verdict'],
}

const referenced = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

/** A schema, or each of its alternatives. */
function leavesOf(schema: Schema): Schema[] {
  const { oneOf } = description.resolved(schema)
  return oneOf ? oneOf.flatMap(leavesOf) : [schema]
}

/** An example of each model that reads or sends; members without an example are left out. */
function modelsOf(file: string, direction: 'read' | 'sent') {
  const source = readFileSync(`${project}engines/unity/Runtime/Generated/${file}.cs`, 'utf8')
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
const inline = ['AssetUrlRequest', 'BatchResult', 'PresentVersion']

/** The members that can be neither missing nor null. */
function neededBy(schema: Schema): string[] {
  const { required = [], properties = {} } = description.resolved(schema)
  return required.filter((name) => !isNullable(properties[name]))
}

const isNullable = (schema: Schema = {}) => [description.resolved(schema).type].flat().includes('null')

/** The example of each model, for RoundTrip.cs. */
export const modelExamples = () => [...modelsOf('Answers', 'read'), ...modelsOf('Requests', 'sent')]

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

static class Examples
{
`

/** An example as a method. A name that two of its statements declare is that of the later one. */
function methodOf([id, text]: [string, string]): string {
  const blocks = text.split('\n\n').map((block) => `{\n${block}\n}\n`)
  return `public static async Task ${id}(GameStorage storage, HttpClient http, string token)\n{\n${blocks.join('')}await Task.Yield();\n}\n`
}

/** A class with every example of the reference as a method, and how many there are. */
export function referenceExamples(): { source: string; count: number } {
  const examples = [...examplesIn(reference(), 'csharp')]
  return { source: `${around}${examples.map(methodOf).join('\n')}}\n`, count: examples.length }
}
