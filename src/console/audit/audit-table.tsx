import { at } from '../api/base.ts'
import { scopeInWords } from '../api-keys/scope-words.ts'
import type { AuditLogQuery } from '../operations.ts'
import { count, isolated } from '../parts/format.ts'
import { Moment } from '../parts/moment.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { ACTIONS } from './audit-words.ts'

type AuditRow = AuditLogQuery['auditEntries']['edges'][number]['node']

interface AuditTableProps {
  readonly rows: readonly AuditRow[]
  /** The table shows all accounts, so each row names its own. */
  readonly withAccount?: boolean
}

/** Changes, newest first: when, which caller, what, and to what. */
export const AuditTable = ({ rows, withAccount = false }: AuditTableProps) => (
  <div class="table-box as-cards">
    <table class={withAccount ? 'changes' : 'changes audit-table'} aria-label="Changes">
      <thead>
        <tr>
          <th>What</th>
          <th>To</th>
          <th class={withAccount ? 'from-900' : undefined}>Detail</th>
          <th>By</th>
          {withAccount && <th>Account</th>}
          <th aria-sort="descending">When</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <ChangeRow key={row.id} row={row} withAccount={withAccount} />
        ))}
      </tbody>
    </table>
  </div>
)

const ChangeRow = ({ row, withAccount }: { row: AuditRow; withAccount: boolean }) => (
  <tr>
    <th scope="row" class="wrap">
      {isTakenBack(row) ? 'Credits taken back' : ACTIONS[row.action][0]}
    </th>
    <td data-label="To">
      <Subject row={row} />
    </td>
    <td class={withAccount ? 'from-900' : undefined} data-label="Detail">
      <Detail text={detailOf(row)} />
    </td>
    <td data-label="By">
      <By by={row.by} />
    </td>
    {withAccount && (
      <td data-label="Account">
        <OfAccount row={row} />
      </td>
    )}
    <td data-label="When">
      <Moment at={row.createdAt} />
    </td>
  </tr>
)

/** By its name; a deleted account by its id. */
function OfAccount({ row: { accountId, account } }: { row: AuditRow }) {
  if (accountId === null) return <span class="faint">the whole service</span>
  const href = at(`/operator/audit?account=${accountId}`)
  if (!account) return <ShortId id={accountId} href={href} />
  return (
    <a class="clip-cell" dir="auto" href={href} title={account.name}>
      {account.name}
    </a>
  )
}

/** A grant of less than nothing. */
const isTakenBack = ({ action, detail }: AuditRow): boolean =>
  action === 'CREDITS_GRANTED' && detail?.startsWith('-') === true

/** By its name of then; what has none by its id. */
function Subject({ row: { subjectId, subjectName } }: { row: AuditRow }) {
  if (subjectName !== null)
    return (
      <span
        class="clip-cell"
        dir="auto"
        title={`${isolated(subjectName)}${subjectId === null ? '' : ` (${subjectId})`}`}
      >
        {subjectName}
      </span>
    )
  return subjectId === null ? <span class="faint">–</span> : <ShortId id={subjectId} />
}

function By({ by: { kind, callerId: id, name } }: { by: AuditRow['by'] }) {
  if (kind === 'OPERATOR') return <span class="chip">operator</span>
  return (
    <>
      <bdi class="clip-cell" title={name ?? id ?? undefined}>
        {name ?? <span class="faint">deleted key</span>}
      </bdi>
      {kind === 'KEY' && <span class="chip">key</span>}
    </>
  )
}

function Detail({ text }: { text: string | null }) {
  if (text === null) return <span class="faint">–</span>
  return (
    <span class="clip-cell" dir="auto" title={text}>
      {text}
    </span>
  )
}

function detailOf({ action, detail }: AuditRow): string | null {
  if (action === 'KEY_CREATED' || action === 'KEY_UPDATED') return detail === null ? null : keyInWords(detail)
  if (!['CREDITS_GRANTED', 'ACCOUNT_CREATED'].includes(action) || detail === null) return detail
  const credits = Number(detail)
  return Number.isFinite(credits) ? `${credits > 0 ? '+' : ''}${count(credits)} credits` : detail
}

/** Scopes with blanks between them, then limits. */
function keyInWords(detail: string): string {
  const [scopes = '', ...limits] = detail.split(', ')
  return [...scopes.split(' ').map(scopeInWords), ...limits].join(', ')
}
