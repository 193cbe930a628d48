import { useState } from 'react'
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components'
import { Button, IconButton } from '../controls/button.tsx'
import { copyText } from '../controls/copy.ts'
import { asClientCode, asCurl } from './as-code.ts'
import { asCSharp } from './as-csharp.ts'
import { asGDScript } from './as-gdscript.ts'
import { Message } from './message.tsx'
import type { Operation } from './operation.ts'
import type { RecordedRequest } from './recorded.ts'
import { useOperation } from './use-operation.ts'
import { WhatItDid } from './what-it-did.tsx'

const tabs = ['What it did', 'Request', 'Answer', 'Client', 'curl', 'C#', 'GDScript'] as const
type TabName = (typeof tabs)[number]
const KEY = 'console request tab'

interface Props {
  request: RecordedRequest
  onClose: () => void
}

/** All about one request, and its code. The tab that was chosen last is stored for the next visit. */
export function RequestDetails({ request, onClose }: Props) {
  const operation = useOperation(request)
  const [tab, setTab] = useState<TabName>(() => known(localStorage.getItem(KEY)))
  const choose = (name: TabName) => {
    setTab(name)
    localStorage.setItem(KEY, name)
  }
  return (
    <section
      className="request-details"
      aria-label="Details of the request"
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    >
      <Tabs
        className="request-details-tabs"
        selectedKey={tab}
        onSelectionChange={(key) => choose(known(key))}
      >
        <div className="row request-details-head">
          <TabList className="request-tabs" aria-label="About the request">
            {tabs.map((name) => (
              <Tab key={name} id={name} className="request-tab">
                {name}
              </Tab>
            ))}
          </TabList>
          <IconButton icon="close" label="Close the details" onPress={onClose} />
        </div>
        <TabPanel id={tab} className="request-tab-panel">
          <Shown tab={tab} request={request} operation={operation} />
        </TabPanel>
      </Tabs>
    </section>
  )
}

function known(name: unknown): TabName {
  return tabs.find((tab) => tab === name) ?? 'What it did'
}

function Shown({ tab, request, operation }: Record<'tab', TabName> & ShownProps) {
  if (tab === 'What it did') return <WhatItDid request={request} operation={operation} />
  if (tab === 'Request') return <Message message={request} />
  if (tab === 'Answer')
    return request.answer ? (
      <Message message={request.answer} />
    ) : (
      <p className="quiet">
        {request.code === undefined ? 'The answer is under way.' : 'There is no answer.'}
      </p>
    )
  if (tab === 'curl') return <Code code={asCurl(request)} name="curl" />
  if (tab === 'C#') return <Code code={asCSharp(request, operation)} name="C#" />
  if (tab === 'GDScript') return <Code code={asGDScript(request)} name="GDScript" />
  return <Code code={operation && asClientCode(request, operation)} name="client code" />
}

interface ShownProps {
  request: RecordedRequest
  operation: Operation | undefined
}

function Code({ code, name }: { code: string | undefined; name: string }) {
  if (code === undefined) return <p className="quiet">There is no call of the client for this request.</p>
  return (
    <>
      <Button icon="copy" onPress={() => copyText(code, `Copied as ${name}.`)}>
        Copy
      </Button>
      <pre>{code}</pre>
    </>
  )
}
