/** The script of a page that has the store of a Unity player in a browser, with texts in place of pointers to them. */

type Library = Record<string, (...given: (string | number)[]) => number>

const HEAP_BYTES = 2 ** 16
const [DONE, FAILED] = [1, 2]

const heap = new Uint8Array(HEAP_BYTES)
let failure = ''

/** Merges the library as Emscripten does: a `$name` becomes the variable `name`. */
function merged(text: string): Library {
  const library: Record<string, unknown> = {}
  const around = {
    LibraryManager: { library },
    mergeInto: (into: object, functions: object) => Object.assign(into, functions),
    HEAPU8: heap,
    UTF8ToString: (text: string) => text,
    lengthBytesUTF8: (text: string) => new TextEncoder().encode(text).length,
    _malloc: (size: number) => size,
    stringToUTF8: (text: string) => {
      failure = text
    },
  }
  Object.assign(globalThis, around)
  const script = document.createElement('script')
  script.textContent = text
  document.head.append(script)
  Object.assign(globalThis, { edgeGameStorageStore: library.$edgeGameStorageStore })
  return library as Library
}

let store: Library | undefined

function called(name: string, ...given: (string | number)[]): number {
  const act = store?.[`EdgeGameStorageStore${name}`]
  if (!act) throw new Error(`There is no ${name}.`)
  return act(...given)
}

/** Asks in each frame whether a request has ended, as BrowserSaveStore.cs does. */
async function ended(id: number): Promise<void> {
  while (called('State', id) !== DONE) {
    if (called('State', id) === FAILED) {
      called('Error', id)
      throw new Error(failure)
    }
    await new Promise(requestAnimationFrame)
  }
}

function load(library: string): void {
  store = merged(library)
}

async function set({ key, bytes }: { key: string; bytes: number[] }): Promise<void> {
  heap.set(bytes, 100)
  const id = called('Set', 'saves', key, 100, bytes.length)
  heap.fill(0) // The game goes on, and uses its memory for something else.
  await ended(id)
  called('Forget', id)
}

async function get(key: string): Promise<number[] | undefined> {
  const id = called('Get', 'saves', key)
  await ended(id)
  const length = called('Length', id)
  heap.fill(0)
  if (length > 0) called('Copy', id, 200)
  called('Forget', id)
  return length < 0 ? undefined : [...heap.slice(200, 200 + length)]
}

async function remove(key: string): Promise<void> {
  const id = called('Delete', 'saves', key)
  await ended(id)
  called('Forget', id)
}

/** As when the user clears the data of the site. */
function clear(): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.deleteDatabase('saves')
    request.onsuccess = () => resolve()
    request.onerror = () => reject(request.error)
  })
}

const acts = { load, set, get, remove, clear }
export type UnityStoreActs = typeof acts
Object.assign(globalThis, { acts })
