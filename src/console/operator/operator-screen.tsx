import type { ComponentChildren } from 'preact'
import { at } from '../api/base.ts'
import { Page } from '../parts/page.tsx'
import './operator.css'
import './fleet/fleet.css'
import './cells.css'
import './endpoints/endpoints.css'
import './engines/engines.css'

/** Behind /operator, in the order of their tabs. */
const TABS = [
  ['', 'Fleet'],
  ['engines', 'Engines'],
  ['jobs', 'Jobs'],
  ['failures', 'Failures'],
  ['statistics', 'Statistics'],
  ['accounts', 'Accounts'],
  ['endpoints', 'Endpoints'],
  ['audit', 'Audit'],
] as const

interface OperatorScreenProps {
  readonly title: string
  readonly tab: (typeof TABS)[number][0]
  readonly actions?: ComponentChildren
  readonly crumb?: ComponentChildren
  readonly children: ComponentChildren
}

/** A screen for operators, under the tabs that they share. */
export const OperatorScreen = ({ title, tab, actions, crumb, children }: OperatorScreenProps) => (
  <Page title={title} actions={actions} crumb={crumb}>
    <nav class="tabs" aria-label="Operator">
      {TABS.map(([path, name]) => (
        <a
          key={path}
          class="tab"
          href={at(path === '' ? '/operator' : `/operator/${path}`)}
          aria-current={path === tab ? 'page' : undefined}
        >
          {name}
        </a>
      ))}
    </nav>
    {children}
  </Page>
)
