/** The groups of the guides and their order, which docs/README.md has. */

/** A guide as a list of docs/README.md names it. */
export interface Entry {
  /** Its path below the project's folder. */
  source: string
  label: string
}

/** Entries that belong together; `title` is empty for those of a group that has no headings below its own. */
interface Part {
  title: string
  entries: Entry[]
}

/** A section of docs/README.md that lists guides. */
export interface Group {
  title: string
  parts: Part[]
}

/** The groups in `index`, the text of docs/README.md: its sections whose lists begin with links to guides. */
export function groupsOf(index: string): Group[] {
  const groups = sectionsOf(index, '## ').map(({ title, text }) => ({
    title,
    parts: sectionsOf(text, '### ')
      .map((part) => ({ title: part.title, entries: entriesOf(part.text) }))
      .filter(({ entries }) => entries.length > 0),
  }))
  return groups.filter(({ parts }) => parts.length > 0)
}

export function entriesIn(group: Group): Entry[] {
  return group.parts.flatMap(({ entries }) => entries)
}

/** The parts of a text at headings that begin with `mark`; the title of what comes before the first of them is empty. */
function sectionsOf(text: string, mark: string): { title: string; text: string }[] {
  const [before = '', ...rest] = `\n${text}`.split(`\n${mark}`)
  const sections = rest.map((section) => {
    const [title = '', ...lines] = section.split('\n')
    return { title, text: lines.join('\n') }
  })
  return [{ title: '', text: before }, ...sections]
}

function entriesOf(text: string): Entry[] {
  return [...text.matchAll(/^- \[([^\]]+)\]\(([\w./-]+\.md)\)/gm)].map(([, label = '', link = '']) => ({
    source: link.startsWith('../') ? link.slice(3) : `docs/${link}`,
    label,
  }))
}
