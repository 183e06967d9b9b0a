import { useEffect } from 'preact/hooks'
import { at } from '../api/base.ts'
import { useQuery } from '../api/use-query.ts'
import { saveText, toCsv } from '../jobs/csv.ts'
import { type CreditKind, type CreditsQuery, credits as creditsQuery } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { count } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Moment } from '../parts/moment.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import { balance } from '../shell/balance.ts'

type Entry = CreditsQuery['creditEntries']['edges'][number]['node']

const PAGE = 50
const KINDS: Readonly<Record<CreditKind, readonly [name: string, tone: string]>> = {
  GRANT: ['Grant', 'good'],
  CHARGE: ['Charge', 'calm'],
  REFUND: ['Refund', 'busy-still'],
  CARRIED: ['Carried over', 'calm'],
}

/** The balance and every change of it. */
export function CreditsPage() {
  const { query, change } = useAddress()
  const page = pageOf(query, PAGE)
  const list = useQuery(creditsQuery, page)
  const credits = list.data?.account.credits
  useEffect(() => {
    if (credits !== undefined) balance.value = credits
  }, [credits])
  return (
    <Page title="Credits">
      <div class="tiles">
        <div class="tile">
          <span class="tile-name">Balance</span>
          <span class="tile-value">{count(balance.value)}</span>
          <span class="tile-note">
            {balance.value > 0 ? 'credits; your operator grants more' : 'Ask your operator for credits.'}
          </span>
        </div>
      </div>
      <Load query={list} skeleton={<SkeletonRows />}>
        {({ creditEntries: { edges, pageInfo } }) =>
          edges.length === 0 ? (
            <Empty title="No credits yet">Your operator grants the first ones.</Empty>
          ) : (
            <>
              <LedgerTable entries={edges.map(({ node }) => node)} />
              <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)} />
              <button type="button" class="button small" onClick={() => save(edges.map(({ node }) => node))}>
                <Icon name="download" size={14} /> This page as CSV
              </button>
            </>
          )
        }
      </Load>
    </Page>
  )
}

const save = (entries: readonly Entry[]): void =>
  saveText(toCsv(['id', 'kind', 'amount', 'jobId', 'createdAt'], entries), 'ledger.csv')

const LedgerTable = ({ entries }: { entries: readonly Entry[] }) => (
  <div class="table-box as-cards">
    <table>
      <thead>
        <tr>
          <th>Why</th>
          <th class="end">Credits</th>
          <th>Job</th>
          <th>When</th>
        </tr>
      </thead>
      <tbody>
        {entries.map(({ id, kind, amount, jobId, createdAt }) => (
          <tr key={id}>
            <td>
              <span class={`pill ${KINDS[kind][1]}`}>{KINDS[kind][0]}</span>
            </td>
            <td class="end">
              <span class={amount > 0 ? 'gain' : undefined}>{`${amount > 0 ? '+' : ''}${count(amount)}`}</span>
            </td>
            <td>{jobId ? <ShortId id={jobId} href={at(`/jobs/${jobId}`)} /> : <span class="faint">–</span>}</td>
            <td>
              <Moment at={createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </div>
)
