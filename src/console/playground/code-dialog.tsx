import { useState } from 'preact/hooks'
import { CopyButton } from '../parts/copy-button.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Segments } from '../parts/field.tsx'
import { codeSamples, type Spoken } from './code-samples.ts'

/** The form's values as a program would send them. */
export function CodeDialog({ spoken, onClose }: { spoken: Spoken; onClose: () => void }) {
  const samples = codeSamples(spoken)
  const [chosen, setChosen] = useState(samples[0]?.name ?? '')
  const text = samples.find(({ name }) => name === chosen)?.text ?? ''
  return (
    <Dialog title="The same request as code" onClose={onClose} isWide>
      <div class="stack">
        <div class="row spread">
          <Segments
            label="Language"
            value={chosen}
            onChange={setChosen}
            options={samples.map(({ name }) => [name, name])}
          />
          <CopyButton text={text} label={`Copy the ${chosen} request`}>
            Copy
          </CopyButton>
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
        <pre tabIndex={0}>{text}</pre>
        <p class="hint">Programs need an API key: they read it from the environment variable SONANT_API_KEY here.</p>
      </div>
    </Dialog>
  )
}
