import { at } from '../api/base.ts'
import { Crumb, Page } from '../parts/page.tsx'
import { useAddress } from '../parts/use-address.ts'
import { Deliveries } from './deliveries.tsx'
import { LastDay } from './last-day.tsx'

/** Shows the last day's outcomes and then each delivery. */
export function DeliveriesPage() {
  const isPaused = useAddress().query.live === 'off'
  return (
    <Page title="Deliveries" crumb={<Crumb href={at('/webhooks')}>Webhooks</Crumb>} isPaused={isPaused}>
      <LastDay />
      <Deliveries />
    </Page>
  )
}
