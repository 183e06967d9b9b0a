import { useEffect, useState } from 'preact/hooks'
import { at } from '../api/base.ts'
import { comebacks } from '../api/follow.ts'
import { isOperator } from '../api/session.ts'
import { useFreshUrls } from '../api/use-fresh-urls.ts'
import { useQuery } from '../api/use-query.ts'
import { ownVoices, type VoicesQuery, voices as voicesQuery } from '../operations.ts'
import { Empty } from '../parts/empty.tsx'
import { Failure } from '../parts/failure.tsx'
import { Segments } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { isFirst, Load } from '../parts/load.tsx'
import { Page } from '../parts/page.tsx'
import { useAddress } from '../parts/use-address.ts'
import { Composer } from './composer.tsx'
import { addedVoices } from './draft.ts'
import { EndpointChoice } from './endpoint-choice.tsx'
import { NaturalVoice } from './natural-voice.tsx'
import { chosenEndpoint, offeredEndpoint } from './offered-endpoint.ts'
import { TakeCard } from './take-card.tsx'
import { bringBack, takes } from './takes.ts'

type Endpoints = VoicesQuery['myEndpoints']

/** Text in, speech out: the form of an endpoint, and below it what its user has spoken last. */
export function PlaygroundPage() {
  const query = useQuery(voicesQuery, {})
  const [isBack, setBack] = useState(false)
  useEffect(() => void bringBack().then(() => setBack(true)), [comebacks.value])
  return (
    <Page title="Playground">
      <Load query={query} skeleton={<ComposerSkeleton />}>
        {({ myEndpoints }) =>
          myEndpoints.length === 0 ? <NoEndpoint /> : <Studio endpoints={myEndpoints} onExpired={query.reload} />
        }
      </Load>
      {/* Each comes below what is as high as it stays. */}
      {!isFirst(query) && <Takes />}
      {!isFirst(query) && isBack && <NaturalVoice onInstalled={query.reload} />}
    </Page>
  )
}

function Studio({ endpoints, onExpired }: { endpoints: Endpoints; onExpired: () => void }) {
  const { query, change } = useAddress()
  // The offer stays while the page is open, though workers come and go.
  const [offered] = useState(() => offeredEndpoint(endpoints, query)?.slug)
  const endpoint = chosenEndpoint(endpoints, query.endpoint, offered)
  // Those of the account come with a question of their own: only some endpoints speak with them.
  const ownQuery = useQuery(ownVoices, endpoint?.libraryVoices ? { slug: endpoint.slug } : null)
  const own = ownQuery.data?.endpointVoices
  const isOwn = own !== undefined && own.slug === endpoint?.slug
  const added = addedVoices.value
  useEffect(() => {
    if (added > 0) ownQuery.reload()
  }, [added])
  useFreshUrls(isOwn ? own : endpoints, isOwn ? ownQuery.reload : onExpired)
  if (endpoint === undefined) return null
  const isOther = Boolean(query.endpoint) && endpoint.slug !== query.endpoint
  const voices = isOwn ? own.voices : endpoint.voices
  const isUnknown = Boolean(query.voice) && voices.every(({ slug }) => slug !== query.voice)
  const isAwaited = isUnknown && endpoint.libraryVoices && !isOwn
  return (
    <>
      {isOther && <Gone what="endpoint" slug={query.endpoint ?? ''} />}
      {isUnknown && !isAwaited && !isOther && <Gone what="voice" slug={query.voice ?? ''} />}
      {isAwaited && ownQuery.failure && <Failure failure={ownQuery.failure} onRetry={ownQuery.reload} isAskedAgain />}
      <EndpointChoice endpoints={endpoints} chosen={endpoint} onLook={onExpired} />
      <Composer
        key={endpoint.slug}
        endpoint={{ ...endpoint, voices }}
        chosenVoice={query.voice}
        isAwaited={isAwaited}
        onVoice={(voice) => change({ ...(endpoints.length > 1 && { endpoint: endpoint.slug }), voice }, true)}
        onExpired={() => {
          onExpired()
          ownQuery.reload()
        }}
      />
    </>
  )
}

interface GoneProps {
  readonly what: 'endpoint' | 'voice'
  readonly slug: string
}

const Gone = ({ what, slug }: GoneProps) => (
  <p class="notice warn">
    <Icon name="alert" />
    <span>
      This link asks for the {what} <code>{slug}</code>, which is not there. Below is another one.
    </span>
  </p>
)

function Takes() {
  const [opened] = useState(() => new Set(takes.peek().map(({ jobId }) => jobId)))
  const [layout, setLayout] = useState<'list' | 'pairs'>('list')
  if (takes.value.length === 0) return null
  return (
    <section class={layout === 'pairs' ? 'takes pairs' : 'takes'} aria-labelledby="takes">
      <div class="row spread">
        <h2 id="takes" tabIndex={-1}>
          Your latest jobs
        </h2>
        <p class="faint small-text grow">
          Everybody in your account finds them under <a href={at('/jobs')}>Jobs</a>.
        </p>
        {takes.value.length > 1 && (
          <Segments
            label="Layout of the jobs"
            value={layout}
            onChange={setLayout}
            options={[
              ['list', 'List'],
              ['pairs', 'Side by side'],
            ]}
          />
        )}
      </div>
      {takes.value.map((take, index) => (
        <TakeCard
          key={take.jobId}
          take={take}
          isFirst={index === 0}
          isNewest={index === 0 && !take.isBack && !opened.has(take.jobId)}
        />
      ))}
    </section>
  )
}

const NoEndpoint = () => (
  <Empty
    title="Nothing can speak yet"
    action={
      isOperator.value && (
        <a class="button primary" href={at('/operator/endpoints')}>
          Publish one
        </a>
      )
    }
  >
    {isOperator.value
      ? 'Publish an endpoint: it says which engine and which voices speak.'
      : 'Ask your operator to publish an endpoint.'}
  </Empty>
)

const ComposerSkeleton = () => (
  <div class="composer">
    <div class="card sheet-skeleton" />
    <div class="card sheet-skeleton" />
  </div>
)
