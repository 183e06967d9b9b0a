import { MissingPage } from '../shell/missing-page.tsx'
import { screenFile } from '../shell/screen-file.tsx'
import { AccountPage } from './accounts/account-page.tsx'
import { AccountsPage } from './accounts/accounts.tsx'
import { AllAuditPage } from './audit/all-audit-page.tsx'
import { EndpointEditorPage } from './endpoints/endpoint-editor-page.tsx'
import { EndpointsPage } from './endpoints/endpoints-page.tsx'
import { NEW } from './endpoints/use-file-draft.ts'
import { AddEnginePage } from './engines/add-engine-page.tsx'
import { EnginesPage } from './engines/engines-page.tsx'
import { FailuresPage } from './failures/failures-page.tsx'
import { FleetPage } from './fleet/fleet-page.tsx'
import { WorkersPage } from './fleet/workers-page.tsx'
import { AllJobsPage } from './jobs/all-jobs-page.tsx'
import { AnyJobPage } from './jobs/any-job-page.tsx'

// With the charts.
const AllStatisticsPage = screenFile(
  async () => (await import('./statistics/all-statistics-page.tsx')).AllStatisticsPage,
)

/** The screens of operators, by what follows /operator: one file, that no other user loads. */
export function OperatorPage({ place = '' }: { place?: string }) {
  const [screen, id] = place.split('/')
  if (screen === '') return <FleetPage />
  if (screen === 'accounts') return id ? <AccountPage key={id} id={id} /> : <AccountsPage />
  if (screen === 'workers') return <WorkersPage />
  if (screen === 'failures') return <FailuresPage />
  if (screen === 'statistics') return <AllStatisticsPage />
  if (screen === 'audit') return <AllAuditPage />
  if (screen === 'jobs') return id ? <AnyJobPage key={id} id={id} /> : <AllJobsPage />
  if (screen === 'engines') return id === NEW ? <AddEnginePage /> : <EnginesPage />
  if (screen === 'endpoints') return id ? <EndpointEditorPage key={id} slug={id} /> : <EndpointsPage />
  return <MissingPage />
}
