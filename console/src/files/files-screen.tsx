import { useState } from 'react'
import { QuotaBar } from '../quota/quota-bar.tsx'
import { usePlace, useTitle } from '../shell/place.tsx'
import { FileList } from './file-list.tsx'
import { usePath } from './folder.ts'
import type { FolderId } from './item.ts'
import type { View } from './listing.ts'
import { Path } from './path.tsx'
import { Toolbar } from './toolbar.tsx'
import './files.css'

/** The user's files, one folder at a time. */
export function FilesScreen() {
  const {
    path: [folder = null],
    go,
  } = usePlace()
  const [view, setView] = useState<View>({ sort: 'name', order: 'asc', asset_type: undefined })
  const path = usePath(folder)
  useTitle(folder === null ? undefined : path.at(-1)?.name)
  const goTo = (next: FolderId) => go(next === null ? [] : [next])
  return (
    <div className="file-screen">
      <div className="files">
        <div className="files-head">
          <Path path={path} onGo={goTo} />
          <QuotaBar />
        </div>
        <Toolbar folder={folder} view={view} onView={setView} />
        <FileList key={folder} folder={folder} view={view} path={path} onOpen={goTo} />
      </div>
    </div>
  )
}
