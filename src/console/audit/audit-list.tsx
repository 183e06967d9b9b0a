import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import { timeNow } from '../api/clock.ts'
import { useQuery } from '../api/use-query.ts'
import { Choice, ClearFilters, DroppedNotice } from '../jobs/jobs-toolbar.tsx'
import { LinkedEnds } from '../lists/linked-ends.tsx'
import { auditLog } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Pager } from '../parts/pager.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import { OwnWindow } from '../windows/own-window.tsx'
import { WINDOW_OPTIONS } from '../windows/time-window.ts'
import { AUDIT_FILTERS, auditFilterOf } from './audit-filter.ts'
import { AuditTable } from './audit-table.tsx'
import { ACTIONS, actionGroups } from './audit-words.ts'

const PAGE = 50
const ENDS = { from: null, to: null }
const CLEARED = Object.fromEntries([...AUDIT_FILTERS, 'after', 'before'].map((name) => [name, null]))

interface AuditListProps {
  /** True: entries of all accounts or of the one in the address. */
  readonly isOperators?: boolean
  /** More filters. */
  readonly children?: ComponentChildren
}

/** The changes that the address asks for. */
export function AuditList({ isOperators = false, children }: AuditListProps) {
  const { query, change } = useAddress()
  const { filter, dropped } = useMemo(() => auditFilterOf(query, timeNow()), [JSON.stringify(query)])
  const page = pageOf(query, PAGE)
  const whose = isOperators ? (query.account ? { account: query.account } : { all: true }) : {}
  const list = useQuery(auditLog, { ...filter, ...page, ...whose })
  const isNarrow = AUDIT_FILTERS.some((name) => query[name])
  return (
    <>
      <div class="toolbar filters">
        {children}
        <ActionChoice isOperators={isOperators} />
        <Choice name="window" label="Any time" options={WINDOW_OPTIONS} clears={ENDS} />
        <OwnWindow />
        <LinkedEnds />
        {isNarrow && <ClearFilters onClear={() => change(CLEARED)} />}
      </div>
      <DroppedNotice names={dropped} />
      <Load query={list} skeleton={<SkeletonRows />}>
        {({ auditEntries: { edges, pageInfo } }) =>
          edges.length === 0 ? (
            <Empty title={isNarrow ? 'No change matches' : 'Nothing has been changed yet'}>
              {isNarrow
                ? 'There may be changes, but none with all of these properties.'
                : 'Keys, people, webhooks and credits: every change of them is listed here.'}
            </Empty>
          ) : (
            <>
              <AuditTable rows={edges.map(({ node }) => node)} withAccount={isOperators} />
              <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)} />
            </>
          )
        }
      </Load>
    </>
  )
}

const ActionChoice = ({ isOperators }: { isOperators: boolean }) => (
  <Choice
    name="action"
    label="Any change"
    groups={actionGroups(isOperators).map(([group, actions]) => [
      group,
      actions.map((action) => [action.toLowerCase(), ACTIONS[action][0]] as const),
    ])}
  />
)
