import { useMemo, useState } from 'preact/hooks'
import { at } from '../../api/base.ts'
import { timeNow } from '../../api/clock.ts'
import { comebacks } from '../../api/follow.ts'
import { useQuery } from '../../api/use-query.ts'
import { type OneAccountQuery, oneAccount } from '../../operations.ts'
import { Tile } from '../../overview/tile.tsx'
import { count, share, shortCount } from '../../parts/format.ts'
import { Load, SkeletonRows } from '../../parts/load.tsx'
import { Moment } from '../../parts/moment.tsx'
import { monthUse } from '../../parts/month-use.tsx'
import { Crumb } from '../../parts/page.tsx'
import { ShortId } from '../../parts/short-id.tsx'
import { StateMark } from '../../parts/state-mark.tsx'
import { rangeOf } from '../../windows/time-window.ts'
import { OperatorScreen } from '../operator-screen.tsx'
import { AccountDialog } from './account-dialog.tsx'
import { AccountHolders } from './account-holders.tsx'
import { AccountJobs } from './account-jobs.tsx'
import { AccountLedger } from './account-ledger.tsx'
import { LimitsDialog } from './limits-dialog.tsx'
import { RenameDialog } from './rename-dialog.tsx'
import { StandingDialog } from './standing-dialog.tsx'

/** One account as operators see it: its balance, what it does and what fails, its people and keys. */
export function AccountPage({ id }: { id: string }) {
  const [looks, setLooks] = useState(0)
  const [open, setOpen] = useState<OpenDialog | null>(null)
  const lately = useMemo(() => ({ createdAt: rangeOf('30d', timeNow()) }), [looks, comebacks.value])
  const query = useQuery(oneAccount, { account: id, lately })
  const account = query.data?.account
  const reload = (): void => {
    setLooks(looks + 1)
    query.reload()
  }
  const Open = open === null ? null : DIALOGS[open]
  return (
    <OperatorScreen
      title={account?.name ?? 'Account'}
      tab="accounts"
      crumb={<Crumb href={at('/operator/accounts')}>Accounts</Crumb>}
      actions={account && <Actions account={account} onOpen={setOpen} />}
    >
      <Load query={query} skeleton={<SkeletonRows rows={3} />}>
        {(data) => (
          <>
            <Figures data={data} />
            <Facts account={data.account} />
            <AccountJobs id={data.account.id} />
            <div class="cards">
              <AccountHolders id={data.account.id} />
              <AccountLedger id={data.account.id} looks={looks} />
            </div>
          </>
        )}
      </Load>
      {Open !== null && account && <Open account={account} onDone={reload} onClose={() => setOpen(null)} />}
    </OperatorScreen>
  )
}

const Facts = ({ account: { id, createdAt, disabledAt } }: Pick<OneAccountQuery, 'account'>) => (
  <p class="row account-facts faint small-text">
    <ShortId id={id} />
    {disabledAt && <StateMark state="DISABLED" />}
    <span>
      Made <Moment at={createdAt} />
    </span>
  </p>
)

const DIALOGS = { credits: AccountDialog, limits: LimitsDialog, name: RenameDialog, standing: StandingDialog }
type OpenDialog = keyof typeof DIALOGS

interface ActionsProps {
  readonly account: OneAccountQuery['account']
  readonly onOpen: (dialog: OpenDialog) => void
}

const Actions = ({ account: { id, disabledAt }, onOpen }: ActionsProps) => (
  <>
    <a class="button" href={at(`/operator/statistics?account=${id}`)}>
      Statistics
    </a>
    <a class="button" href={at(`/operator/audit?account=${id}`)}>
      Changes
    </a>
    <button type="button" class="button" onClick={() => onOpen('name')}>
      Rename
    </button>
    <button type="button" class="button" onClick={() => onOpen('standing')}>
      {disabledAt ? 'Enable' : 'Disable'}
    </button>
    <button type="button" class="button" onClick={() => onOpen('limits')}>
      Limits
    </button>
    <button type="button" class="button primary" onClick={() => onOpen('credits')}>
      Add credits
    </button>
  </>
)

type Groups = OneAccountQuery['lately']

function Figures({ data: { account, unfinished, lately } }: { data: OneAccountQuery }) {
  const [queued, processing] = [jobsOf(unfinished, 'QUEUED'), jobsOf(unfinished, 'PROCESSING')]
  const [failed, ended] = [jobsOf(lately, 'FAILED'), jobsOf(lately, 'COMPLETED') + jobsOf(lately, 'FAILED')]
  const spent = lately.reduce((sum, { credits }) => sum + (credits ?? 0), 0)
  const jobs = lately.reduce((sum, group) => sum + group.jobs, 0)
  return (
    <div class="tiles">
      <Tile name="Balance" value={count(account.credits)} note={`${shortCount(spent)} spent in 30 days`} />
      <Tile
        name="This month"
        value={monthUse(account)}
        note={account.monthlyLimit == null ? 'no monthly limit' : 'of its monthly limit'}
      />
      <Tile
        name="Unfinished jobs"
        value={count(queued + processing)}
        note={`${count(queued)} queued, ${count(processing)} processing${most(account.maxRunning)}`}
      />
      <Tile name="Jobs, last 30 days" value={shortCount(jobs)} note={`${shortCount(ended)} have ended`} />
      <Tile
        name="Without failure"
        value={ended === 0 ? '–' : share(1 - failed / ended)}
        note={`${count(failed)} of ${count(ended)} failed or cancelled`}
      />
    </div>
  )
}

const most = (limit: number | null | undefined): string => (limit == null ? '' : `, at most ${count(limit)}`)

const jobsOf = (groups: readonly Pick<Groups[number], 'status' | 'jobs'>[], status: string): number =>
  groups.reduce((sum, group) => sum + (group.status === status ? group.jobs : 0), 0)
