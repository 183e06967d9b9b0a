import { serviceUrl } from '../api/base.ts'
import { useQuery } from '../api/use-query.ts'
import { requestForm } from '../operations.ts'
import { CopyButton } from '../parts/copy-button.tsx'
import { curl } from '../playground/code-samples.ts'
import { exampleInputs } from '../playground/example-inputs.ts'
import { formFields } from '../playground/form-fields.ts'
import { takes } from '../playground/takes.ts'

const VOICE = 'voice.'

/** The request that made a voice job, to copy. Only this tab knows what was spoken in it: of others the service returns no inputs. */
export function RequestCode({
  job: { id, endpointKey },
}: {
  job: { readonly id: string; readonly endpointKey: string }
}) {
  const slug = endpointKey.slice(VOICE.length)
  const own = takes.value.find(({ jobId }) => jobId === id)?.inputs
  const form = useQuery(requestForm, own === undefined ? { slug } : null).data?.endpointSchema
  const inputs = own ?? (form && exampleInputs(formFields(form.schema)))
  if (inputs === undefined) return null
  return (
    <div class="row">
      <CopyButton text={curl({ service: serviceUrl(), slug, inputs })} label="Copy the request as curl">
        Copy as curl
      </CopyButton>
      {own === undefined && (
        <span class="hint">Fill in what is in capitals: only the page that sent the request knows all of it.</span>
      )}
    </div>
  )
}
