/** The fields of a moderated job in REST, in their order. */
export const MODERATED = [
  'job_id',
  'type',
  'endpoint_key',
  'status',
  'is_prohibited',
  'api_key_id',
  'api_key_name',
  'created_at',
  'completed_at',
]

export const UNMODERATED = MODERATED.filter((name) => name !== 'is_prohibited')

/** The head of the CSV. */
export const CSV_HEAD =
  'job_id,type,endpoint_key,status,is_prohibited,created_at,completed_at,duration_ms,reason,chat_id,media_url,media_kind,workflow_slug,provider_job_id,gpu_execution_time_ms,error_code,error,api_key_id,api_key_name'

/** The head of the feed of changes as CSV. */
export const CHANGES_HEAD = `${CSV_HEAD},started_at,wait_ms,run_ms,cost,attempts,characters,audio_ms,voice,language,tags,changed_at,deleted_at`
