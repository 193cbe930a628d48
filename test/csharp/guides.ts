/** The C# of the guides: the blocks of each guide as one program, as docs/commands.md tells readers to run them. */
import { readdirSync, readFileSync } from 'node:fs'
import { project } from '../../scripts/development.ts'
import { blocksOf, type Example } from '../e2e/guides.ts'

/** Pages whose C# is for a program of its own. */
const OTHERS = ['first-session.md', 'godot.md', 'unity.md']

export interface Guide {
  page: string
  examples: Example[]
}

/** The guides with C#. */
export function guides(): Guide[] {
  return readdirSync(`${project}docs`)
    .filter((name) => name.endsWith('.md') && !OTHERS.includes(name))
    .map((page) => ({ page, examples: examplesOf(page) }))
    .filter(({ examples }) => examples.length > 0)
}

/** The `csharp` blocks of a page. One without a `text` block of its own prints what the `ts` block of its tabs prints. */
function examplesOf(page: string): Example[] {
  const text = readFileSync(`${project}docs/${page}`, 'utf8')
  const examples: Example[] = []
  let end = 0
  let before = ''
  let typescript = ''
  for (const found of text.matchAll(/^```(\w+)\n(.*?)^```$/gms)) {
    const [whole, language, block = ''] = found
    const isNeighbour = text.slice(end, found.index).trim() === ''
    if (!isNeighbour) [before, typescript] = ['', '']
    if (language === 'csharp') examples.push({ script: block, printed: typescript })
    if (language === 'text' && before === 'ts') typescript = block
    const last = examples.at(-1)
    if (language === 'text' && before === 'csharp' && last) last.printed = block
    before = language ?? ''
    end = found.index + whole.length
  }
  return examples
}

/** What a program prints at its end. */
export const DONE = '\u0004'

const SEPARATOR = '\u001e'
const END = '\u001d'

const nameOf = (page: string) => page.replaceAll(/\W/g, '_')

/** The program of the first session, with statements in place of its comment. */
function programOf(body: string): string {
  const [frame = ''] = blocksOf('first-session.md', 'csharp')
  return frame.replace(/^ *\/\/ The blocks .*$/m, () => body)
}

/** The source of a guide: the program of the first session under a name of its own, with the blocks and a separator behind each. */
export function sourceOf({ page, examples }: Guide): string {
  const body = examples.map(({ script }) => `${script}\nConsole.Write("\\u001e");\n`).join('')
  const placed = programOf(body).replace('static class Example', `static partial class ${nameOf(page)}`)
  return `${placed}\nstatic partial class ${nameOf(page)} { public static Task Begin() { return Run(); } }\n`
}

/**
 * A program that runs the guides one after the other, each with the accounts empty. What a guide throws, it prints. Its arguments are
 * the variables of the shell: NAME=VALUE.
 */
export function mainOf(all: readonly Guide[]): string {
  const begun = all.map(({ page }) => `await Guide(${nameOf(page)}.Begin);`)
  return `using System; using System.Threading.Tasks; using EdgeGameStorage;
static class Guides
{
    static void Main(string[] variables)
    {
        foreach (var variable in variables)
        {
            var end = variable.IndexOf('=');
            Environment.SetEnvironmentVariable(variable.Substring(0, end), variable.Substring(end + 1));
        }
        Each().GetAwaiter().GetResult();
        Console.Write("\\u0004");
    }

    static async Task Each() { ${begun.join('\n')} }

    static async Task Guide(Func<Task> run)
    {
        var token = Environment.GetEnvironmentVariable("PRIVACY");
        using (var privacy = new GameStorage(Environment.GetEnvironmentVariable("BASE"), (renew, cancel) => Task.FromResult(token)))
        {
            await privacy.EraseUserAsync("ada");
            await privacy.EraseUserAsync("bob");
        }
        try { await run(); }
        catch (Exception error) { Console.Write(error); }
        Console.Write("\\u001d");
    }
}
`
}

/** What each guide's blocks have printed; behind them what came after the last block, or the error of the one that failed. */
export function printedBy(output: string): string[][] {
  return output
    .split(END)
    .slice(0, -1)
    .map((guide) => guide.split(SEPARATOR))
}

export const FIRST_SESSION = 'docs/first-session.md'

/** The commands of the first session in C# as one script, with the program saved where the page says, and what it prints. */
export function sessionOf(): { script: string; printed: string } {
  const text = readFileSync(project + FIRST_SESSION, 'utf8')
  const [token] = /^export .*TOKEN.*\nexport ADA.*$/m.exec(text) ?? []
  const [compilation] = /(?<=^```\n)cp .*?(?=^```$)/ms.exec(text) ?? []
  const [, ...examples] = examplesOf('first-session.md')
  const program = programOf(examples.map(({ script }) => script).join('\n'))
  const save = `cat > "$GAME/Program.cs" <<'END OF PROGRAM'\n${program}END OF PROGRAM`
  return {
    script: [token, save, compilation].join('\n'),
    printed: examples.map(({ printed }) => printed).join(''),
  }
}

/** The component of docs/unity.md, its other blocks as a method of guides/UnityGuide.cs, and what they print. */
export function unityGuide(): { component: string; examples: string; printed: string } {
  const [component, ...others] = examplesOf('unity.md')
  const blocks = others.map(({ script }) => `{\n${script}}\n`)
  const examples = `using System; using System.IO; using System.Text; using System.Threading.Tasks; using EdgeGameStorage; using UnityEngine;
sealed partial class UnityGuide { async Task Examples() { ${blocks.join('')} } }
`
  const printed = [component, ...others].map((example) => example?.printed ?? '')
  return { component: component?.script ?? '', examples, printed: printed.join('') }
}
