import { useMemo } from 'preact/hooks'
import { useLocation } from 'preact-iso/router'
import { ask } from '../api/ask.ts'
import { at } from '../api/base.ts'
import { useAction } from '../api/use-action.ts'
import { useQuery } from '../api/use-query.ts'
import { DroppedNotice } from '../jobs/jobs-toolbar.tsx'
import { NewerButton } from '../lists/newer-button.tsx'
import { useCalmReload } from '../lists/use-calm-reload.ts'
import {
  type DeliveriesQuery,
  deliveries as deliveriesQuery,
  sendTest,
  type WebhookDeliveryState,
  webhookSettings,
} from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { Failure } from '../parts/failure.tsx'
import { Segments } from '../parts/field.tsx'
import { count, sentence } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { Load, SkeletonRows } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { Pager } from '../parts/pager.tsx'
import { pageOf, useAddress } from '../parts/use-address.ts'
import { DeliveriesTable } from './deliveries-table.tsx'
import { ResendFailed } from './resend-failed.tsx'
import { Secrets } from './secrets.tsx'
import { UrlForm } from './url-form.tsx'
import { useLiveDeliveries } from './use-live-deliveries.ts'

const PAGE = 50
const FILLED_MS = 2000
const NONE = {
  PENDING: 'No delivery is pending',
  SUCCEEDED: 'No delivery has succeeded',
  FAILED: 'No delivery has failed',
}
const STATES: readonly WebhookDeliveryState[] = ['PENDING', 'SUCCEEDED', 'FAILED']

/** Where deliveries go, what signs them, and what became of each. */
export function WebhooksPage() {
  const settings = useQuery(webhookSettings, {})
  const { route } = useLocation()
  const test = useAction(async () => {
    const { sendTestWebhook } = await ask(sendTest, {})
    route(at(`/webhooks/deliveries/${sendTestWebhook.id}`))
  })
  const hasUrl = Boolean(settings.data?.webhook.url)
  const actions = (
    <button type="button" class="button" disabled={!hasUrl || test.isOff} onClick={() => test.run()}>
      <Icon name="send" /> Send a test
    </button>
  )
  return (
    <Page title="Webhooks" actions={actions}>
      {test.failure !== null && <Failure failure={test.failure} />}
      <Load query={settings} skeleton={<SkeletonRows rows={3} />}>
        {({ webhook }) => (
          <div class="halves">
            <UrlForm key={webhook.url ?? ''} url={webhook.url ?? ''} onSaved={settings.reload} />
            <Secrets
              secrets={webhook.secrets}
              isCurrent={!settings.isLoading && settings.failure === null}
              onChange={settings.reload}
            />
          </div>
        )}
      </Load>
      <Deliveries />
    </Page>
  )
}

function Deliveries() {
  const { query, change } = useAddress()
  const page = pageOf(query, PAGE)
  const state = STATES.find((one) => one.toLowerCase() === query.state)
  const isFirst = !query.after && !query.before && state === undefined
  const list = useQuery(deliveriesQuery, { ...page, ...(state && { states: [state] }) })
  const failed = list.data?.failed
  const newest = failed?.edges[0]?.node.createdAt
  return (
    <section class="section" aria-labelledby="deliveries">
      <div class="row spread section-head">
        <h2 id="deliveries">Deliveries</h2>
        <div class="row">
          {failed && newest !== undefined && (
            <ResendFailed failed={failed.totalCount} newest={newest} onOpen={list.reload} onDone={list.reload} />
          )}
          <StateChoice state={state} />
        </div>
      </div>
      <DroppedNotice names={query.state && state === undefined ? ['state'] : []} />
      <Load query={list} skeleton={<SkeletonRows />}>
        {({ webhookDeliveries: { edges, pageInfo, totalCount } }) => (
          <>
            <LiveDeliveries edges={edges} state={state} isFirst={isFirst} onReload={list.reload} />
            {edges.length > 0 && (
              <Pager pageInfo={pageInfo} onMove={(cursors) => change(cursors)}>
                {`${count(totalCount)} ${totalCount === 1 ? 'delivery' : 'deliveries'}`}
              </Pager>
            )}
          </>
        )}
      </Load>
    </section>
  )
}

function StateChoice({ state }: { state: WebhookDeliveryState | undefined }) {
  const { change } = useAddress()
  return (
    <Segments
      label="State"
      value={state?.toLowerCase() ?? ''}
      onChange={(chosen) => change({ state: chosen, after: null, before: null })}
      options={[['', 'All'], ...STATES.map((one) => [one.toLowerCase(), sentence(one)] as const)]}
    />
  )
}

interface LiveDeliveriesProps {
  readonly edges: DeliveriesQuery['webhookDeliveries']['edges']
  readonly state: WebhookDeliveryState | undefined
  readonly isFirst: boolean
  readonly onReload: () => void
}

function LiveDeliveries({ edges, state, isFirst, onReload }: LiveDeliveriesProps) {
  const loaded = useMemo(() => edges.map(({ node }) => node), [edges])
  const { rows, newer } = useLiveDeliveries(loaded)
  // Among no rows, none that is new moves any.
  useCalmReload(rows.length === 0 && isFirst ? newer : null, FILLED_MS, onReload)
  if (rows.length === 0)
    return (
      <Empty title={state ? NONE[state] : 'Nothing has been delivered'}>
        When a job ends, its result is posted to your URL and listed here for 30 days, with every attempt.
      </Empty>
    )
  return (
    <>
      {isFirst && <NewerButton newer={newer} onReload={onReload} />}
      <DeliveriesTable deliveries={rows} />
    </>
  )
}
