import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { PageTitle } from '../controls/page-title.tsx'
import { usePlace } from '../shell/place.tsx'
import { DecisionPage } from './decision-page.tsx'
import { Decisions } from './decisions.tsx'
import { MyReports } from './my-reports.tsx'
import { ReportPage } from './report-page.tsx'
import './safety.css'

export const build = BUILD

/** What the user has reported, and what moderators have decided about the user's own things. */
export function SafetyScreen() {
  const { path, go, hrefOf } = usePlace()
  const [part, id] = path
  const shown = part === 'reports' ? 'reports' : 'decisions'
  if (id !== undefined)
    return shown === 'reports' ? <ReportPage id={id} /> : <DecisionPage key={id} id={id} />
  return (
    <Tabs
      className="safety"
      selectedKey={shown}
      // As of the screens: for Home and End.
      onSelectionChange={(key) => key !== shown && go(key === 'decisions' ? [] : [`${key}`])}
    >
      <PageTitle>Safety</PageTitle>
      <TabList className="tab-list" aria-label="Safety">
        <Tab id="decisions" href={hrefOf([])} className="tab">
          Decisions about my things
        </Tab>
        <Tab id="reports" href={hrefOf(['reports'])} className="tab">
          My reports
        </Tab>
      </TabList>
      <TabPanel id="decisions" className="safety-part stack">
        <Decisions />
      </TabPanel>
      <TabPanel id="reports" className="safety-part stack">
        <MyReports />
      </TabPanel>
    </Tabs>
  )
}
