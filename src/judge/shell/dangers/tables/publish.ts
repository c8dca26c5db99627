// Programs that publish, deploy or change something elsewhere. A step with `effect: external` may do so.

import { finding, type Call, type Finding } from '../call.ts'
import { excerpt } from '../marks.ts'
import type { Rows } from '../rows.ts'

const registry = 'changes a package registry'
const forge = 'changes the forge'
const cluster = 'changes a cluster'
const infrastructure = 'changes infrastructure'
const cloud = 'changes the cloud'
const data = 'changes a database'
const inCluster = 'apply delete create replace patch scale drain cordon exec edit set label annotate run expose'
const awsVerbs = 'delete|terminate|create|put|update|run|start|stop|modify|deregister|register|invoke'

export const publishRows: Rows = {
  'shell-external-effect': [
    ['npm, pnpm, yarn, bun', 'publish unpublish deprecate access owner !--dry-run', registry],
    ['npm, yarn', /^(npm publish|dist-tag (add|rm))\b/, registry],
    ['lerna, changeset, poetry, uv, flit, hatch', 'publish !--dry-run', registry],
    ['semantic-release, release-it, np', '!--dry-run !-d', 'publishes a release'],
    ['cargo', 'publish yank owner !--dry-run !-n', registry],
    ['twine', 'upload', registry],
    ['gem', 'push yank', registry],
    ['mvn, mvnw, gradle, gradlew', /(^| )(deploy|publish)( |$)/, registry],
    ['dotnet, nuget', /^(nuget )?push\b/, registry],
    ['gh, glab', /^(release (create|delete|edit|upload)|(pr|mr) (create|merge|close|comment|edit|review))\b/, forge],
    ['gh, glab', /^(issue (create|close|comment|delete|edit)|repo (create|delete|edit|archive|rename))\b/, forge],
    ['gh, glab', /^(gist create|workflow (run|disable|enable)|(secret|variable) (set|delete))\b/, forge],
    ['gh, glab', /^api .*((-X|--method)[ =]?(POST|PUT|PATCH|DELETE)|(-f|-F|--field|--raw-field|--input)\b)/, forge],
    ['docker, podman, nerdctl, buildah, skopeo', 'push copy', 'publishes an image'],
    ['docker, podman', /^((compose|image|manifest) push|(buildx )?build .*--push)\b/, 'publishes an image'],
    ['helm', 'install upgrade uninstall delete rollback push !--dry-run', cluster],
    ['kubectl, oc', `${inCluster} !--dry-run`, cluster],
    ['kubectl, oc', /\brollout (restart|undo)\b/, cluster],
    ['terraform, tofu, terragrunt', 'apply destroy import taint untaint force-unlock run-all', infrastructure],
    ['terraform, tofu', /\bstate (rm|mv|push)\b/, infrastructure],
    ['pulumi', 'up destroy refresh cancel import', infrastructure],
    ['cdk, sst, serverless, sls', 'deploy destroy remove', infrastructure],
    ['ansible-playbook', '!--check !--syntax-check', 'changes other machines'],
    ['ansible', '-m --module-name', 'changes other machines'],
    ['aws', /^(?!.*--dry-?run)(.* )?s3 (rm|cp .*s3:\/\/\S+$|mv|sync|rb|mb)\b/, cloud],
    ['aws', new RegExp(String.raw`^(?!.*--dry-?run)(.* )?\S+ (${awsVerbs})(-\S+)?( |$)`), cloud],
    ['gcloud', /\b(delete|deploy|create|update|reset|stop|start|\w+-iam-policy\S*)\b/, cloud],
    ['gsutil', 'rm cp mv rsync rb mb', cloud],
    ['az', /\b(delete|create|update|deploy|up|start|stop|restart)\b/, cloud],
    ['rclone', 'sync copy move delete purge copyto moveto !--dry-run', cloud],
    ['vercel, netlify, wrangler, surge', /^(?!.*(--help|--version|\b(dev|build|whoami|ls|list|logs)\b))/, 'deploys'],
    ['fly, flyctl, heroku, eb, firebase', /\b(deploy|destroy|pg:reset|scale|rollback|terminate)\b/, 'deploys'],
    ['dropdb, createdb, dropuser', /./, data],
    ['redis-cli, valkey-cli', /\b(flushall|flushdb|del|shutdown|config set)\b/i, data],
    ['rails, rake', /\bdb:(drop|reset|purge|migrate:reset|schema:load|truncate\w*)\b/, data],
    ['prisma', /\b(migrate (reset|deploy)|db push)\b/, data],
    ['sendmail, mail, mailx, mutt, msmtp', /./, 'sends a message'],
  ],
}

const clients = /^(psql|mysql|mariadb|sqlite3|sqlcmd|mongo|mongosh|cqlsh|clickhouse-client|duckdb)$/
const drops =
  /\b(drop\s+(table|database|schema|index|view|user|role|owned|column)|truncate\s+(table\s+)?\w|delete\s+from)/i
const changesRights = /\b(alter\s+(user|role)|grant\s|revoke\s|dropDatabase|deleteMany|\.drop\(|\.remove\()/i

/** A database client, by the statements in its arguments or input. */
export function judgeDatabase({ name, args, input }: Call): readonly Finding[] {
  const text = clients.test(name) ? [...args, input.text ?? ''].join(' ') : ''
  const [statement] = drops.exec(text) ?? changesRights.exec(text) ?? []
  const says = `${name} deletes data or changes rights (${excerpt(statement ?? '')})`
  return statement === undefined ? [] : [finding('shell-external-effect', says)]
}
