/** The examples of a language on the page of the reference, by their operation. */
export function examplesIn(page: string, language: string): Map<string, string> {
  const articles = page.split(/(?=<article )/)
  const found = articles.flatMap((article): [string, string][] => {
    const [, id = ''] = /^<article class="operation" id="(\w+)"/.exec(article) ?? []
    const panel = new RegExp(`data-language="${language}".*?<code>(.*?)</code>`, 's').exec(article)
    return id && panel?.[1] ? [[id, textIn(panel[1])]] : []
  })
  return new Map(found)
}

const textIn = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
