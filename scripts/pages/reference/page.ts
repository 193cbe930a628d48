/** Renders the reference at /docs from the descriptions of docs/. */
import { readFileSync } from 'node:fs'
import { Description, type Group, type Operation } from '../../describe/description.ts'
import { project } from '../../development.ts'
import { escaped } from '../escaped.ts'
import { framed } from '../frame.ts'
import { ORIGIN } from './call.ts'
import { errorsOf } from './errors.ts'
import { fieldOf, fieldsOf } from './fields.ts'
import { commonHeaders, operationOf, tabs } from './operation.ts'
import { socketOf } from './socket.ts'
import { prose, slugOf } from './text.ts'

const setUp = {
  ts: `import { createClient } from 'edge-game-storage-client'

const client = createClient({
  baseUrl: '${ORIGIN}',
  // Of your login
  token: ({ renew }) => session.token({ renew }),
})

// For services, moderators and operators alone
import { createStudio } from 'edge-game-storage-client/studio'

const studio = createStudio({
  baseUrl: '${ORIGIN}',
  token: ({ renew }) => service.token({ renew }),
})`,
  sh: `TOKEN=…
curl ${ORIGIN}/v1/quota -H "Authorization: Bearer $TOKEN"`,
  csharp: `using System;
using System.IO;
using EdgeGameStorage;

// Of your login
var storage = new GameStorage("${ORIGIN}", (renew, cancel) => session.Token(renew));

// For the socket and operators’ commands alone
using System.Net.Http;
using System.Net.Http.Headers;
using System.Net.WebSockets;
using System.Text;
using System.Threading;

var http = new HttpClient();`,
}

/** The description in a file of docs/. */
export function descriptionIn(file: string): Description {
  return new Description(JSON.parse(readFileSync(`${project}docs/${file}`, 'utf8')))
}

/** The page. */
export function reference(): string {
  const clients = descriptionIn('openapi.json')
  const operators = descriptionIn('openapi.operators.json')
  const all = [...clients.groups, ...operators.groups].flatMap(({ operations }) => operations)
  const sections = (description: Description, hasClient: boolean) =>
    description.groups.map((group) => sectionOf(group, description, hasClient)).join('')
  return framed(
    { title: 'Reference', style: 'reference.css', scripts: ['docs.js', 'docs-search.js'], current: '/docs' },
    `<div class="reference">
<nav class="side" aria-label="Requests">
<form class="search" role="search" hidden><label>Search<input type="search" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list" aria-keyshortcuts="/" autocomplete="off" spellcheck="false"></label><div class="results" hidden><p class="note" role="status"></p><ul id="found" role="listbox" aria-label="Found"></ul></div></form>
<details class="all" open><summary>Requests</summary>
${navigation(clients.groups)}
<p class="part">Operators’ commands</p>
${navigation(operators.groups)}
<p class="part"><a href="#errors">Errors</a></p>
</details>
</nav>
<main id="content">
${introduction(clients, all)}
${sections(clients, true)}
<section id="operators-commands"><h2><a href="#operators-commands">Operators’ commands</a></h2>
${prose(operators.introduction)}</section>
${sections(operators, false)}
<section id="errors"><h2><a href="#errors">Errors</a></h2>
<p>Each code, and what a client does about it. <a href="/guides/errors">Errors</a> has what storage answers, too.</p>
${errorsOf(all)}</section>
</main>
</div>`,
  )
}

function navigation(groups: Group[]): string {
  return groups
    .map(
      ({ name, operations }) => `<details class="group"><summary>${escaped(name)}</summary><ul>
${operations.map(({ id, method }) => `<li><a href="#${id}"><span class="method ${method.toLowerCase()}">${method === 'DELETE' ? 'DEL' : method}</span> ${id}</a></li>`).join('\n')}
</ul></details>`,
    )
    .join('\n')
}

function sectionOf(
  { name, description: text, operations }: Group,
  description: Description,
  hasClient: boolean,
): string {
  const slug = slugOf(name)
  const socket = operations.some(({ id }) => id === 'openSocket') ? socketOf(description) : ''
  return `<section id="${slug}"><h2><a href="#${slug}">${escaped(name)}</a></h2>
${prose(text)}
${operations.map((operation) => operationOf(operation, description, hasClient)).join('')}${socket}</section>
`
}

function introduction(description: Description, all: Operation[]): string {
  const scopes = [...new Set(all.flatMap(({ scopes }) => scopes))].sort()
  const headers = all.flatMap(({ answers }) => answers.flatMap(({ headers }) => Object.entries(headers)))
  const common = commonHeaders.map((name) => {
    const [, header] = headers.find(([other]) => other === name) ?? []
    return header
      ? fieldOf(
          {
            name,
            schema: header.schema,
            description: header.description,
            isRequired: header.required ?? false,
            in: 'header',
          },
          description,
          { isAnswer: true },
        )
      : ''
  })
  return `<section class="operation" id="introduction">
<header><h1>Reference</h1></header>
<div class="text">
${prose(description.introduction.replace(/\n\n[^\n]*\/asyncapi\.json[^\n]*/, ''))}
<p>This page has what <a href="/openapi.json">openapi.json</a>, <a href="/openapi.operators.json">openapi.operators.json</a> and, of the socket, <a href="/asyncapi.json">asyncapi.json</a> describe for generators.</p>
<details><summary>Headers of every answer</summary><ul class="fields">${common.join('')}</ul>
<p>Send the last <code>X-D1-Bookmark</code> with the next request: its answer is at least as new. The client does it by itself.</p></details>
<details><summary>Members of an error</summary>${fieldsOf({ $ref: '#/components/schemas/Problem' }, description, { isAnswer: true })}</details>
</div>
<div class="examples">
${tabs([
  ['ts', setUp.ts],
  ['sh', setUp.sh],
  ['csharp', setUp.csharp],
])}
<form id="token-form" hidden>
<p>This is a development server. It makes tokens of users who need no account.</p>
<label>User<input name="user_id" value="ada" required></label>
<label>Scope<select name="scope"><option value="">none</option>${scopes.map((scope) => `<option>${scope}</option>`).join('')}</select></label>
<button>Copy a token</button>
<p class="note" role="status"></p>
<pre id="token" tabindex="0" hidden></pre>
</form>
</div>
</section>
`
}
