import { readFileSync } from 'node:fs'
import type { Description, Schema } from '../../describe/description.ts'
import { project } from '../../development.ts'
import { coloured } from '../colours.ts'
import { fieldsOf } from './fields.ts'
import { inline, prose } from './text.ts'

interface Message {
  name: string
  title: string
  payload: Schema
  examples?: { payload: unknown }[]
}

interface Socket {
  info: { description: string }
  operations: Record<string, { description: string }>
  components: { messages: Record<string, Message>; schemas: Record<string, Schema> }
}

/** Renders the messages of the socket, of docs/asyncapi.json. */
export function socketOf(description: Description): string {
  const { info, operations, components }: Socket = JSON.parse(
    readFileSync(`${project}docs/asyncapi.json`, 'utf8'),
  )
  const texts = [info.description, ...Object.values(operations).map(({ description }) => description)]
  const messages = Object.values(components.messages).map(({ name, title, examples = [] }) => {
    const schema = components.schemas[name]
    const [example] = examples
    const sample = example
      ? `<div class="code"><p class="head">Example</p><pre tabindex="0"><code>${coloured(JSON.stringify(example.payload, null, 2), 'json')}\n</code></pre></div>`
      : ''
    const fields = schema ? fieldsOf(schema, description, { isAnswer: true }) : ''
    return `<li><details><summary><code class="word">${name}</code> ${inline(title)}</summary>${fields}${sample}</details></li>`
  })
  return `<article class="entry" id="socket-messages">
<h3><a href="#socket-messages">Messages of the socket</a></h3>
${prose(texts.join('\n\n'))}
<ul class="errors">${messages.join('')}</ul>
</article>
`
}
