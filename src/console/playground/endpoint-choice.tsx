import type { VoicesQuery } from '../operations.ts'
import { isolated } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { useAddress } from '../parts/use-address.ts'
import { servedFirst } from './offered-endpoint.ts'

type Endpoints = VoicesQuery['myEndpoints']

/** The address's parameters about voices, cleared. */
const NO_VOICE = { voice: null, language: null, kind: null }

interface EndpointChoiceProps {
  readonly endpoints: Endpoints
  readonly chosen: Endpoints[number]
  /** Asks anew which of them are served. */
  readonly onLook: () => void
}

/** Lets the user choose an endpoint if there are several, and warns if the chosen one cannot speak now. */
export const EndpointChoice = ({ endpoints, chosen, onLook }: EndpointChoiceProps) => (
  <>
    {endpoints.length > 1 && <EndpointSelect endpoints={endpoints} chosen={chosen.slug} />}
    {chosen.isServed === false && (
      <p class="notice warn">
        <Icon name="alert" />
        <span class="notice-body">
          This endpoint cannot speak now: what is submitted waits, or fails and costs nothing.
          {chosen.notServedBecause !== null && <bdi> Reason: {chosen.notServedBecause}.</bdi>}
        </span>
        <button type="button" class="button small" onClick={onLook}>
          Look again
        </button>
      </p>
    )}
  </>
)

function EndpointSelect({ endpoints, chosen }: { endpoints: Endpoints; chosen: string }) {
  const { change } = useAddress()
  return (
    <div class="toolbar">
      <select
        class="select"
        aria-label="Endpoint"
        value={chosen}
        onChange={(event) => change({ ...NO_VOICE, endpoint: event.currentTarget.value }, true)}
      >
        {servedFirst(endpoints).map(({ slug, name, isServed }) => (
          <option key={slug} value={slug} dir="auto">
            {isServed === false ? `${isolated(name)} – cannot speak now` : name}
          </option>
        ))}
      </select>
    </div>
  )
}
