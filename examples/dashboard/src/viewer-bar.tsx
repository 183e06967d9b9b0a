import { useQuery, useSubscription } from '@urql/preact'
import { AccountDocument, ViewerDocument } from './gql/graphql.ts'
import { number } from './parts.tsx'

export function ViewerBar({ path, onSignOut }: { path: string; onSignOut: () => void }) {
  const [{ data }] = useQuery({ query: ViewerDocument })
  // Its balance goes to the account in the cache, which the query shows.
  const [{ data: live }] = useSubscription({ query: AccountDocument })
  const credits = data?.viewer?.account?.credits
  const counts = live?.accountUpdated.jobCounts
  const isJobs = path.startsWith('#/jobs')
  return (
    <header>
      <nav>
        <a href="#/" aria-current={isJobs ? undefined : 'page'}>
          Overview
        </a>
        <a href="#/jobs" aria-current={isJobs ? 'page' : undefined}>
          Jobs
        </a>
      </nav>
      <p class="name">
        <strong>{data?.viewer?.account?.name}</strong> <span class="quiet">{data?.viewer?.apiKey?.name}</span>
      </p>
      <p>
        <output aria-label="Credits">{credits === undefined ? '…' : number(credits)}</output> credits
      </p>
      {counts && (
        <p class="quiet wide">
          {number(counts.queued)} queued, {number(counts.processing)} processing, {number(counts.failed)} failed
        </p>
      )}
      <button type="button" class="plain" onClick={onSignOut}>
        Sign out
      </button>
    </header>
  )
}
