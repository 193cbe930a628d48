import { useState } from 'react'
import { useKept } from '../controls/kept.ts'
import { QuotaBar } from '../quota/quota-bar.tsx'
import { usePlace, useTitle } from '../shell/place.tsx'
import { FileList } from './file-list.tsx'
import { usePath } from './folder.ts'
import type { FolderId } from './item.ts'
import type { View } from './listing.ts'
import { Path } from './path.tsx'
import { Toolbar } from './toolbar.tsx'
import type { Layout } from './view-options.tsx'
import './files.css'

/** The user's files, one folder at a time. */
export function FilesScreen() {
  const {
    path: [folder = null],
    go,
  } = usePlace()
  const [sorted, setSorted] = useState<Omit<View, 'areFoldersFirst'>>({
    sort: 'name',
    order: 'asc',
    asset_type: undefined,
  })
  const [foldersFirst, setFoldersFirst] = useKept('console folders first', ['yes', 'no'])
  const [layout, setLayout] = useKept<Layout>('console layout of files', ['list', 'grid'])
  const [search, setSearch] = useState({ folder, text: '' })
  const path = usePath(folder)
  useTitle(folder === null ? undefined : path.at(-1)?.name)
  const goTo = (next: FolderId) => go(next === null ? [] : [next])
  const view = { ...sorted, areFoldersFirst: foldersFirst === 'yes' }
  const changeView = ({ areFoldersFirst, ...next }: View) => {
    setSorted(next)
    setFoldersFirst(areFoldersFirst ? 'yes' : 'no')
  }
  // A search is among the items of one folder.
  const text = search.folder === folder ? search.text : ''
  return (
    <div className="file-screen">
      <div className="files">
        <div className="files-head">
          <Path path={path} onGo={goTo} />
          <QuotaBar />
        </div>
        <Toolbar
          folder={folder}
          view={view}
          onView={changeView}
          layout={layout}
          onLayout={setLayout}
          search={text}
          onSearch={(next) => setSearch({ folder, text: next })}
        />
        <FileList
          key={folder}
          folder={folder}
          view={view}
          onView={changeView}
          layout={layout}
          search={text}
          path={path}
          onOpen={goTo}
        />
      </div>
    </div>
  )
}
