import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { at } from '../api/base.ts'
import { timeNow } from '../api/clock.ts'
import { comebacks, isHeld, isOffline, liveState } from '../api/follow.ts'
import { session } from '../api/session.ts'
import { clockTime } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { OUTAGE, useSaidOnce } from '../parts/use-said-once.ts'
import { isOutdated } from './new-version.ts'

/** A shorter cut is nothing to read about. */
const LOST_AFTER_MS = 1500

/** Shows news for every screen: no network, a lost connection, a newer service, a user without a password. */
export function Banners() {
  const isLost = useLost()
  const isOld = useOutdated()
  const isCut = isOffline.value || liveState.value === 'reconnecting'
  const hasLost = isOffline.value || isLost
  const isSaid = useSaidOnce(hasLost ? OUTAGE : null)
  const since = useMemo(() => clockTime(new Date(timeNow()).toISOString()), [isCut])
  return (
    <div class="banners" role="status">
      {hasLost && (
        <Banner isSilent={!isSaid}>
          {isOffline.value ? 'You are offline.' : 'The connection to the service is lost.'} This page shows data as of{' '}
          {since} and updates by itself once the connection is back.
        </Banner>
      )}
      {isOld && (
        <Banner
          action={
            <button type="button" class="button small" onClick={() => location.reload()}>
              Reload the page
            </button>
          }
        >
          The service has a new version.
        </Banner>
      )}
      {session.value?.user.hasPassword === false && !session.value.user.isFederated && <NoPassword />}
    </div>
  )
}

const NoPassword = () => (
  <Banner
    isQuiet
    action={
      <a class="button small" href={at('/profile')}>
        Choose a password
      </a>
    }
  >
    You signed in with a link and have no password yet.
  </Banner>
)

interface BannerProps {
  readonly children: ComponentChildren
  readonly action?: ComponentChildren
  /** Something else on the page has said it. */
  readonly isSilent?: boolean
  /** Nothing is wrong. */
  readonly isQuiet?: boolean
}

const Banner = ({ children, action, isSilent, isQuiet = false }: BannerProps) => (
  <p class={isQuiet ? 'banner quiet' : 'banner'} aria-live={isSilent ? 'off' : undefined}>
    <Icon name={isQuiet ? 'keys' : 'alert'} size={14} /> <span class="banner-text">{children}</span> {action}
  </p>
)

function useLost(): boolean {
  const [isLost, setLost] = useState(false)
  const state = liveState.value
  const held = isHeld.value
  useEffect(() => {
    if (state !== 'reconnecting' || held) return setLost(false)
    const timer = setTimeout(() => setLost(true), LOST_AFTER_MS)
    return () => clearTimeout(timer)
  }, [state, held])
  return isLost
}

/** A server that was restarted has cut the socket: whenever that is back, the page may be older than the service. */
function useOutdated(): boolean {
  const [isOld, setOld] = useState(false)
  const times = comebacks.value
  useEffect(() => {
    if (times > 0) void isOutdated().then((isNew) => isNew && setOld(true))
  }, [times])
  return isOld
}
