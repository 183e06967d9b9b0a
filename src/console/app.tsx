import type { ReadonlySignal } from '@preact/signals'
import type { ComponentType } from 'preact'
import { LocationProvider, Route, Router, useLocation } from 'preact-iso/router'
import { at, BASE } from './api/base.ts'
import { isOperator, isOwner, session } from './api/session.ts'
import { useFirstLook } from './api/use-first-look.ts'
import { OverviewPage } from './overview/overview-page.tsx'
import { Failure } from './parts/failure.tsx'
import { OperatorsPage, OwnersPage } from './shell/closed-page.tsx'
import { MissingPage } from './shell/missing-page.tsx'
import { screenFile } from './shell/screen-file.tsx'
import { Shell } from './shell/shell.tsx'
import { EnterPage } from './sign-in/enter-page.tsx'
import { Gate, SignInPage } from './sign-in/sign-in-page.tsx'
import { SignedIn } from './sign-in/signed-in.tsx'

/** Said by packaging/build-console.ts. */
declare const HAS_DESIGN_PAGE: boolean

/** A route hands these to its screen. */
type Props = { readonly id?: string; readonly place?: string }

// With the charts, which most visits never open.
const StatisticsPage = screenFile(async () => (await import('./statistics/statistics-page.tsx')).StatisticsPage)
const PlaygroundPage = screenFile(async () => (await import('./playground/playground-page.tsx')).PlaygroundPage)
const StudioPage = screenFile(async () => (await import('./studio/studio-page.tsx')).StudioPage)
const ProjectPage = screenFile(async () => (await import('./studio/editor/project-page.tsx')).ProjectPage)
const JobsPage = screenFile(async () => (await import('./jobs/jobs-page.tsx')).JobsPage)
const JobPage = screenFile(async () => (await import('./jobs/job-page.tsx')).JobPage)
const VoicesPage = screenFile(async () => (await import('./voices/voices-page.tsx')).VoicesPage)
const HelpPage = screenFile(async () => (await import('./help/help-page.tsx')).HelpPage)
const LexiconPage = screenFile(async () => (await import('./lexicon/lexicon-page.tsx')).LexiconPage)

/** Looks at the role whenever that changes; the service refuses all others all the same. */
const guarded =
  (isAllowed: ReadonlySignal<boolean>, Closed: ComponentType, Screen: ComponentType<Props>) => (props: Props) =>
    isAllowed.value ? <Screen {...props} /> : <Closed />
const forOwners = (load: () => Promise<ComponentType<Props>>) => guarded(isOwner, OwnersPage, screenFile(load))
const settings = () => import('./shell/settings-screens.ts')
const ApiKeysPage = forOwners(async () => (await settings()).ApiKeysPage)
const AuditPage = forOwners(async () => (await settings()).AuditPage)
const WebhooksPage = forOwners(async () => (await settings()).WebhooksPage)
const DeliveriesPage = forOwners(async () => (await settings()).DeliveriesPage)
const DeliveryPage = forOwners(async () => (await settings()).DeliveryPage)
// With the charts.
const CreditsPage = forOwners(async () => (await import('./credits/credits-page.tsx')).CreditsPage)
const PeoplePage = forOwners(async () => (await settings()).PeoplePage)
const ProfilePage = screenFile(async () => (await settings()).ProfilePage)
const OperatorPage = guarded(
  isOperator,
  OperatorsPage,
  screenFile(async () => (await import('./operator/operator-page.tsx')).OperatorPage),
)

// For changes of the console: what is installed has none.
const DesignPage = HAS_DESIGN_PAGE
  ? screenFile(async () => (await import('./design/design-page.tsx')).DesignPage)
  : MissingPage

/** Loads the screen that the page was opened at, where it is one of the most visited, while it is asked whose session this is. */
export function preloadScreen(): void {
  const path = location.pathname.slice(BASE.length)
  const screen = path === '/playground' ? PlaygroundPage : path === '/jobs' ? JobsPage : null
  void screen?.preload()
}

/** The console: every screen with its address, for a signed-in user; the sign-in for all others, at the same address. */
export function App() {
  return (
    <LocationProvider scope={new RegExp(`^${BASE}(/|$|\\?)`)}>
      <Screens />
    </LocationProvider>
  )
}

function Screens() {
  const { path } = useLocation()
  const { failure, look } = useFirstLook()
  if (session.value === undefined)
    return failure === null ? null : (
      <Gate title="Not reached">
        <Failure failure={failure} onRetry={look} isAskedAgain />
      </Gate>
    )
  if (path === at('/enter')) return <EnterPage />
  if (session.value === null) return <SignInPage />
  return (
    <Shell>
      <Router>
        <Route path={at('/')} component={OverviewPage} />
        <Route path={at('/sign-in')} component={SignedIn} />
        <Route path={at('/playground')} component={PlaygroundPage} />
        <Route path={at('/studio')} component={StudioPage} />
        <Route path={at('/studio/:id')} component={ProjectPage} />
        <Route path={at('/jobs')} component={JobsPage} />
        <Route path={at('/jobs/:id')} component={JobPage} />
        <Route path={at('/statistics')} component={StatisticsPage} />
        <Route path={at('/voices')} component={VoicesPage} />
        <Route path={at('/lexicon')} component={LexiconPage} />
        <Route path={at('/keys')} component={ApiKeysPage} />
        <Route path={at('/webhooks')} component={WebhooksPage} />
        <Route path={at('/webhooks/deliveries')} component={DeliveriesPage} />
        <Route path={at('/webhooks/deliveries/:id')} component={DeliveryPage} />
        <Route path={at('/credits')} component={CreditsPage} />
        <Route path={at('/people')} component={PeoplePage} />
        <Route path={at('/audit')} component={AuditPage} />
        <Route path={at('/profile')} component={ProfilePage} />
        <Route path={at('/help/:id?')} component={HelpPage} />
        <Route path={at('/design')} component={DesignPage} />
        <Route path={at('/operator/:place*')} component={OperatorPage} />
        <Route default component={MissingPage} />
      </Router>
    </Shell>
  )
}
