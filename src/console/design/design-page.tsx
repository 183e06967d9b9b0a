import './design.css'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { ApiError } from '../api/api-error.ts'
import { Drop } from '../menus/drop.tsx'
import { Tile } from '../overview/tile.tsx'
import { ConfirmDialog } from '../parts/confirm-dialog.tsx'
import { Empty } from '../parts/empty.tsx'
import { Failure } from '../parts/failure.tsx'
import { Field, Segments } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Page } from '../parts/page.tsx'
import { StateMark } from '../parts/state-mark.tsx'
import { toast } from '../parts/toast.tsx'
import { FormParts, ListParts, Loading } from './parts-shown.tsx'
import { isColour, textOf, tokens } from './tokens.ts'

const STATES = ['QUEUED', 'PROCESSING', 'COMPLETED', 'FAILED']
const SIZES = ['s12', 's13', 's14', 's16', 's20', 's28']
const REFUSED = new ApiError('The field is too long.', {
  code: 'INVALID_REQUEST',
  requestId: 'req_1',
  details: [{ path: '/inputs/text', message: 'must have at most 10,000 characters' }],
})

/** The design language on one page, for changes to it: every token, and the parts that screens are made of, in all of their states. */
export const DesignPage = () => (
  <Page title="Design">
    <div class="stack design">
      <Colours />
      <Section title="Type">
        {SIZES.map((size) => (
          <p key={size} style={{ fontSize: `var(--${size})` }}>
            {size}: Text in, speech out. 0123456789
          </p>
        ))}
        <p>
          <code>job_01m841md24fckvxrmcsg7rqbp9</code>
        </p>
      </Section>
      <Controls />
      <States />
      <div class="tiles">
        <Tile name="With bars" value="1,234" note="a note" line={[0, 3, 5, 2, 0, 8, 4]} />
        <Tile name="In red" value="99.1%" note="a note" line={[0, 0, 1, 0, 2, 0, 0]} tone="red" />
        <Tile name="Plain" value="12 s" note="a note" />
      </div>
      <ListParts />
      <Loading />
      <Empty title="Nothing here yet">One sentence, and the next step.</Empty>
    </div>
  </Page>
)

const Section = ({ title, children }: { title: string; children: ComponentChildren }) => (
  <section class="card">
    <div class="card-head">
      <h2>{title}</h2>
    </div>
    <div class="card-body">{children}</div>
  </section>
)

const States = () => (
  <Section title="States">
    <div class="row">
      {STATES.map((state) => (
        <StateMark key={state} state={state} />
      ))}
      <span class="pill warn">no password yet</span>
      <span class="chip">a chip</span>
    </div>
    <Failure failure={REFUSED} onRetry={() => toast('Tried again.')} />
    <p class="notice warn">
      <Icon name="alert" /> Something needs attention.
    </p>
    <p class="notice info">Something is new.</p>
    <p class="notice">Something is worth knowing.</p>
  </Section>
)

function Colours() {
  const [all] = useState(tokens)
  return (
    <Section title="Tokens">
      <div class="swatches">
        {all.filter(isColour).map((token) => (
          <span key={token} class="swatch">
            <i style={{ background: `var(${token})` }} /> {token}
          </span>
        ))}
      </div>
      <p class="hint below">
        {all
          .filter((token) => !isColour(token))
          .map((token) => `${token}: ${textOf(token)}`)
          .join(' · ')}
      </p>
    </Section>
  )
}

function Controls() {
  const [choice, setChoice] = useState('one')
  const [isAsking, setAsking] = useState(false)
  return (
    <Section title="Controls">
      <Buttons onDanger={() => setAsking(true)} />
      <div class="row">
        <Segments
          label="One of a few"
          value={choice}
          onChange={setChoice}
          options={[
            ['one', 'One'],
            ['two', 'Two'],
          ]}
        />
      </div>
      <Field label="A field" hint="With a hint.">
        {(parts) => <input {...parts} class="input" placeholder="Placeholder" />}
      </Field>
      <Field label="A wrong one" error="must not be empty">
        {(parts) => <input {...parts} class="input" />}
      </Field>
      <FormParts />
      {isAsking && (
        <ConfirmDialog
          title="Delete it?"
          action="Delete"
          isDanger
          onConfirm={async () => {}}
          onClose={() => setAsking(false)}
        >
          What happens, and what cannot be undone.
        </ConfirmDialog>
      )}
    </Section>
  )
}

const Buttons = ({ onDanger }: { onDanger: () => void }) => (
  <div class="row">
    <button type="button" class="button primary" onClick={() => toast('Pressed.')}>
      <Icon name="playground" /> Primary
    </button>
    <button type="button" class="button">
      Plain
    </button>
    <button type="button" class="button danger" onClick={onDanger}>
      Danger
    </button>
    <button type="button" class="button quiet">
      Quiet
    </button>
    <button type="button" class="button" aria-disabled>
      Disabled
    </button>
    <button type="button" class="button small">
      Small
    </button>
    <Drop icon="download" text="Menu">
      <button type="button" class="menu-item">
        An entry
      </button>
    </Drop>
  </div>
)
