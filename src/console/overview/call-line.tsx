import { serviceUrl } from '../api/base.ts'
import { useQuery } from '../api/use-query.ts'
import { type CallExampleQuery, callExample } from '../operations.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { curl } from '../playground/code-samples.ts'
import { exampleInputs } from '../playground/example-inputs.ts'
import { formFields } from '../playground/form-fields.ts'

/** How a program speaks, as a line to copy: to an endpoint that the account reaches, with a voice of it. Without one there is none. */
export function CallLine() {
  const [endpoint] = useQuery(callExample, {}).data?.myEndpoints ?? []
  if (endpoint === undefined) return null
  const line = curl({ service: serviceUrl(), slug: endpoint.slug, inputs: inputsOf(endpoint) })
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keyboard */}
      <pre tabIndex={0}>{line}</pre>
      <p class="hint">It reads an API key from the environment variable SONANT_API_KEY.</p>
      <CopyButton text={line} label="Copy the line">
        Copy
      </CopyButton>
    </>
  )
}

type Endpoint = CallExampleQuery['myEndpoints'][number]

/** Other required inputs stand there in capitals. */
const inputsOf = ({ schema, voiceInput, voices: [voice] }: Endpoint): Record<string, unknown> => ({
  ...exampleInputs(formFields(schema)),
  text: 'Hello!',
  ...(voice && { [voiceInput]: voice.slug }),
})
