/** npm run catalogue: shows how the catalogue stands, and rebuilds it (docs/scaling.md#the-catalogue). */
import { CatalogueOverview, CatalogueRebuilt } from '../src/operators/catalogue/schema.ts'
import { askService, number, serviceOf, serviceOptions, serviceUsage } from './operator.ts'
import { readArguments, refuse } from './usage.ts'

const usage = `Usage: npm run catalogue [-- rebuild] [--url URL]

  npm run catalogue              shows how many assets the catalogue has, and how many wait
  npm run catalogue -- rebuild   writes every entry anew, and removes entries without an asset

The service may run meanwhile, and pages stay as they are. A rebuild may be interrupted at any point, and begun again.

${serviceUsage('content:reconcile', 'RECONCILE_TOKEN')}`

const { values, positionals } = readArguments(usage, serviceOptions, { takesOthers: true })
const service = serviceOf(values, { scope: 'content:reconcile', variable: 'RECONCILE_TOKEN', usage })

const [command, ...rest] = positionals
if (rest.length > 0 || (command !== undefined && command !== 'rebuild'))
  refuse(`There is no command ${positionals.join(' ')}.`, usage)
const overview = await read()
if (command === 'rebuild') await rebuild(overview)
else show(overview)

function show({ database, entries, marks }: CatalogueOverview): void {
  console.log(`${number(entries)} assets in the catalogue, in the database ${database}`)
  for (const { database: name, waiting } of marks)
    if (waiting > 0)
      console.log(`  ${number(waiting)} assets of ${name} wait for their entry: the job writes them`)
}

async function rebuild({ marks }: CatalogueOverview): Promise<void> {
  let done = 0
  for (const { database } of marks) {
    let written = 0
    await walk('assets', database, ({ applied, compared }) => {
      written += applied
      done += compared
      progress(`${database}: ${number(done)} assets compared, ${number(written)} entries written`)
    })
  }
  const [first] = marks
  let gone = 0
  let compared = 0
  if (first)
    await walk('entries', first.database, (part) => {
      gone += part.marked
      compared += part.compared
      progress(`${number(compared)} entries compared, ${number(gone)} without their asset`)
    })
  let late = 0
  for (let left = marks; left.length > 0; ) {
    const next: typeof marks = []
    for (const mark of left) {
      const { applied } = await part('marks', mark.database, null)
      late += applied
      if (applied > 0) next.push(mark)
    }
    left = next
    progress(`${number(late)} more entries written`)
  }
  progress('')
  show(await read())
}

async function walk(
  of: 'assets' | 'entries',
  database: string,
  tell: (part: CatalogueRebuilt) => void,
): Promise<void> {
  for (let after: string | null = null; ; ) {
    const done: CatalogueRebuilt = await part(of, database, after)
    tell(done)
    if (done.next === null) return
    after = done.next
  }
}

async function part(
  of: 'assets' | 'entries' | 'marks',
  database: string,
  after: string | null,
): Promise<CatalogueRebuilt> {
  return CatalogueRebuilt.parse(
    await askService(service, 'POST', '/v1/catalogue/rebuild', { of, database, after }),
  )
}

async function read(): Promise<CatalogueOverview> {
  return CatalogueOverview.parse(await askService(service, 'GET', '/v1/catalogue'))
}

/** Writes over the line of progress. */
function progress(text: string): void {
  if (process.stdout.isTTY) process.stdout.write(`\r${text.padEnd(78)}${text === '' ? '\r' : ''}`)
  else if (text !== '') console.log(text)
}
