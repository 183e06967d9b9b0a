import { useEffect, useRef } from 'preact/hooks'
import { at } from '../api/base.ts'
import { timeNow } from '../api/clock.ts'
import { clockTime, shortId } from '../parts/format.ts'
import { Icon } from '../parts/icon.tsx'
import { focusHeading } from '../parts/page.tsx'
import { type BulkList, bulkNotices } from './bulk-place.tsx'
import { type BulkOne, bulkResult } from './bulk-result.ts'
import './bulk-notice.css'

interface BulkNoticeProps {
  readonly list: BulkList
  /** The action on those that the service accepted: "cancelled". */
  readonly done: string
  /** Their name: "Cancelled jobs". */
  readonly doneName: string
  readonly ones: readonly BulkOne[]
}

/** Says above a list what came of an action on several of its rows, until it is dismissed or another one follows. */
export function showBulkNotice(props: BulkNoticeProps): void {
  const at = clockTime(new Date(timeNow()).toISOString())
  bulkNotices[props.list].value = <BulkNotice key={at} at={at} {...props} />
}

/** Those that were looked at: on the way back the list is shown where it was left. */
const seen = new WeakSet<readonly BulkOne[]>()

function BulkNotice({ list, done, doneName, ones, at }: BulkNoticeProps & { readonly at: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!seen.has(ones)) box.current?.scrollIntoView({ block: 'center' })
    seen.add(ones)
  }, [ones])
  const dismiss = (): void => {
    focusHeading()
    bulkNotices[list].value = null
  }
  const refused = ones.filter(({ refusal }) => refusal !== null)
  return (
    <div class={refused.length > 0 ? 'notice warn bulk' : 'notice bulk'} ref={box}>
      <Icon name={refused.length > 0 ? 'alert' : 'check'} />
      <div class="notice-body">
        <p>
          <strong>{bulkResult(done, ones)}</strong> <span class="bulk-time">{at}</span>
        </p>
        <Refused ones={refused} />
        <Done name={doneName} ones={ones.filter(({ refusal }) => refusal === null)} />
      </div>
      <button type="button" class="button quiet small only-icon" aria-label="Dismiss" title="Dismiss" onClick={dismiss}>
        <Icon name="close" size={14} />
      </button>
    </div>
  )
}

type Ones = { readonly ones: readonly BulkOne[] }

/** Each with its reason. What is read out is how many they are. */
const Refused = ({ ones }: Ones) =>
  ones.length === 0 ? null : (
    <ul class="bulk-refused" aria-live="off" aria-label="Refused">
      {ones.map((one) => (
        <li key={one.id}>
          <OneLink one={one} /> <span>{one.refusal}</span>
        </li>
      ))}
    </ul>
  )

const Done = ({ name, ones }: Ones & { readonly name: string }) =>
  ones.length === 0 ? null : (
    <details aria-live="off">
      <summary>{name}</summary>
      <ul class="bulk-done">
        {ones.map((one) => (
          <li key={one.id}>
            <OneLink one={one} />
          </li>
        ))}
      </ul>
    </details>
  )

function OneLink({ one: { id, name, path } }: { readonly one: BulkOne }) {
  const shown = name === undefined ? <code>{shortId(id)}</code> : <bdi>{name}</bdi>
  if (path === null) return <span title={id}>{shown}</span>
  return (
    <a href={at(path)} title={id}>
      {shown}
    </a>
  )
}
