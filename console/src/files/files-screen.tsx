import { useState } from 'react'
import { QuotaBar } from '../quota/quota-bar.tsx'
import { FileList } from './file-list.tsx'
import type { View } from './listing.ts'
import { Path } from './path.tsx'
import { usePath, usePlace } from './place.ts'
import { Toolbar } from './toolbar.tsx'
import './files.css'

/** The user's files, one folder at a time. */
export function FilesScreen() {
  const [folder, goTo] = usePlace()
  const [view, setView] = useState<View>({ sort: 'name', order: 'asc', asset_type: undefined })
  const path = usePath(folder)
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
