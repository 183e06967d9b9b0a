import { Icon } from '../parts/icon.tsx'
import { SkeletonRows } from '../parts/load.tsx'
import { Moment } from '../parts/moment.tsx'
import { Pager } from '../parts/pager.tsx'
import { Player } from '../parts/player.tsx'
import { SearchField } from '../parts/search-field.tsx'
import { ShortId } from '../parts/short-id.tsx'
import { StateMark } from '../parts/state-mark.tsx'

const ID = 'job_01m841md24fckvxrmcsg7rqbp9'
const PAGES = { hasPreviousPage: false, hasNextPage: true, startCursor: null, endCursor: null }
const SCOPES = ['Chosen', 'Not chosen']
const ROWS = [
  ['They looked at each other, and began to climb.', 'COMPLETED'],
  ['A name that is rather longer than what a column leaves for the names of things', 'FAILED'],
] as const

/** The controls that stand in forms and above lists. */
export const FormParts = () => (
  <div class="stack">
    <div class="toolbar">
      <div class="with-icon">
        <SearchField label="Search" placeholder="Search 3 words" value="" onText={() => {}} />
      </div>
      <select class="select" aria-label="One of many">
        <option>Any time</option>
        <option>Last 24 hours</option>
      </select>
      <button type="button" class="button only-icon" aria-label="Choose a time" title="Choose a time">
        <Icon name="calendar" />
      </button>
      <span class="chip removable">
        <strong>a filter</strong> <Icon name="close" size={12} />
      </span>
    </div>
    <div>
      {SCOPES.map((text) => (
        <label key={text} class="check">
          <input type="checkbox" checked={text === SCOPES[0]} /> {text}
        </label>
      ))}
    </div>
    <p class="row">
      <kbd>Ctrl</kbd> <kbd>K</kbd> <progress class="bar" value={3} max={8} aria-label="Three of eight" />
    </p>
    <pre>curl -sS https://example.com/api/v1/voice/tts</pre>
    <Player src={null} waveOf={null} label="nothing yet" />
  </div>
)

/** Rows with a mark, a time, an id and their buttons, and what stands below them. */
export const ListParts = () => (
  <div>
    <div class="table-box as-cards">
      <table aria-label="A list">
        <thead>
          <tr>
            <th>Name</th>
            <th>State</th>
            <th>Id</th>
            <th>When</th>
            <th class="end">Figure</th>
            <th class="end">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {ROWS.map(([name, state]) => (
            <ListRow key={name} name={name} state={state} />
          ))}
        </tbody>
      </table>
    </div>
    <Pager pageInfo={PAGES} onMove={() => {}}>
      1–2 of 40
    </Pager>
  </div>
)

const ListRow = ({ name, state }: { readonly name: string; readonly state: string }) => (
  <tr>
    <th scope="row">
      <strong class="clip-cell" title={name}>
        {name}
      </strong>
    </th>
    <td>
      <StateMark state={state} />
    </td>
    <td>
      <ShortId id={ID} />
    </td>
    <td data-label="When">
      <Moment at={null} empty="never" />
    </td>
    <td class="end" data-label="Figure">
      1,234
    </td>
    <td class="end">
      <button type="button" class="button quiet small">
        Change
      </button>
      <button type="button" class="button quiet small only-icon" aria-label={`Delete ${name}`} title="Delete">
        <Icon name="trash" size={14} />
      </button>
    </td>
  </tr>
)

/** It stays, so it does not say that it is busy. */
export const Loading = () => (
  <div class="skeletons">
    <SkeletonRows rows={3} />
  </div>
)
